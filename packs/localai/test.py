#!/usr/bin/env python3
"""Tests of the pack, with nothing but Python's standard library."""

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

PACK = Path(__file__).with_name("bot-cli-pack-localai")
MANIFEST = json.loads(PACK.read_text().splitlines()[1].partition("bot-cli-plugin: ")[2])


def exchange(*lines):
    """The replies to these lines, and the status that the pack ends with."""
    text = "".join(line if isinstance(line, str) else json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines)
    ended = subprocess.run([sys.executable, PACK], input=text, capture_output=True, text=True, timeout=60)
    return [json.loads(line) for line in ended.stdout.splitlines()], ended.returncode


def services(id):
    return {"id": id, "method": "pack/services", "params": {"protocol": "1.0", "catalogue": "1.0"}}


class Pack(unittest.TestCase):
    def test_the_manifest_names_the_file_and_the_newest_version(self):
        self.assertEqual(f"bot-cli-{MANIFEST['name']}", PACK.name)
        newest = re.search(r"^## (\S+)$", PACK.with_name("CHANGELOG.md").read_text(), re.MULTILINE)
        self.assertEqual(MANIFEST["version"], newest and newest[1])

    def test_the_services_begin_with_the_name_and_end_in_their_kind(self):
        [reply], status = exchange(services(1))
        self.assertEqual((reply["id"], status), (1, 0))
        prefix = MANIFEST["name"].removeprefix("pack-").replace("-", "_") + "_"
        for service in reply["result"]["providers"][0]["service"]:
            self.assertEqual(service["id"], prefix + service["kind"])

    def test_every_variable_is_described_and_used(self):
        [reply], _ = exchange(services(1))
        [provider] = reply["result"]["providers"]
        used = {arg["env"] for service in provider["service"] for arg in service["args"]}
        self.assertEqual(used, provider["env"].keys())

    def test_what_is_no_request_is_answered_and_passed_over(self):
        replies, status = exchange(
            "no JSON\n",
            "\n",
            "[]\n",
            {"method": "cancel", "params": {"id": 1}},
            {"id": 2, "method": "run", "params": {"argv": []}},
            {"id": 3, "method": "pack/services", "params": {"protocol": "2.0"}},
            {"id": 4, "method": "pack/services", "params": []},
            services("five"),
        )
        told = [(reply["id"], reply.get("error", {}).get("code")) for reply in replies]
        self.assertEqual(told, [(None, -32700), (None, -32600), (2, -32601), (3, -32022), (4, -32602), ("five", None)])
        self.assertEqual(status, 0)


if __name__ == "__main__":
    unittest.main()
