"""Tests the code blocks of the README."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from bot_cli_sdk.testing import Host

PACKAGE = Path(__file__).parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PACKAGE)}


class Readme(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for part in (PACKAGE / "README.md").read_text().split("<!-- ")[1:]:
            name, rest = part.split(" -->\n```python\n", 1)
            (self.folder / name).write_text(rest.split("\n```\n")[0] + "\n")

    def python(self, *words: str) -> str:
        command = [sys.executable, *words]
        ran = subprocess.run(command, cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 0, ran)
        return ran.stdout

    def manifest(self, source: str, name: str) -> dict[str, object]:
        self.assertEqual(self.python(source, "--build"), f"Created {name}\n")
        first, second = (self.folder / name).read_bytes().split(b"\n")[:2]
        self.assertEqual(first, b"#!/usr/bin/env python3")
        return json.loads(second.decode().removeprefix("# bot-cli-plugin: "))

    def test_the_plugin_is_short_and_passes_its_test(self) -> None:
        self.assertLessEqual(len((self.folder / "plugin.py").read_text().splitlines()), 40)
        self.python("-m", "unittest", "test")
        self.assertEqual(self.manifest("plugin.py", "bot-cli-dice")["about"], "Rolls dice")
        # The executable needs neither the library nor its source.
        ran = subprocess.run([self.folder / "bot-cli-dice", "roll", "2", "--json"], capture_output=True, check=True)
        self.assertEqual(len(json.loads(ran.stdout)["rolled"]), 2)

    def test_the_backend_keeps_what_it_is_given(self) -> None:
        self.assertEqual(self.manifest("backend.py", "bot-cli-secrets-drawer")["secrets"], "1.0")
        file = self.folder / "sets"
        opening = {"secrets": "1.0", "settings": {"file": str(file)}}
        with Host(self.folder / "backend.py", env=ENVIRONMENT) as host:
            opened = host.request("secrets/open", **opening)
            self.assertEqual(opened.result["can"], ["values"])
            for name, entries, expected in (
                ("prod", {"A": "1"}, None),
                ("prod", {"A": "2"}, {"code": "conflict", "effect": "not_done"}),
                ("-", {"A": "2"}, {"code": "invalid_name", "effect": "not_done"}),
                ("big", {"A": "x" * 1001}, {"code": "too_large", "effect": "not_done", "bytes": {"size": 1001, "limit": 1000}}),
            ):
                reply = host.request("secrets/put", name=name, entries=entries, prior="absent")
                self.assertEqual(reply.data, expected)
        # Each command starts a new process.
        with Host(self.folder / "backend.py", env=ENVIRONMENT) as host:
            host.request("secrets/open", **opening)
            self.assertEqual(host.request("secrets/values", name="prod").result, {"values": {"A": "1"}})
            self.assertEqual(host.request("secrets/credentials", name="prod").code, "not_found")
            file.write_text("[]")
            reply = host.request("secrets/values", name="prod")
            self.assertEqual(reply.error["message"], "internal error: `AttributeError` at backend.py:39")
            file.write_text("{")
            self.assertEqual(host.request("secrets/values", name="prod").code, "unavailable")

    def test_the_pack_is_in_the_manifest(self) -> None:
        manifest = self.manifest("pack.py", "bot-cli-pack-tide")
        self.assertEqual((manifest["role"], manifest["catalogue"]), ("provider-pack", "1.0"))
        self.assertEqual(self.python("pack.py"), "The provider pack tide 0.3.0, used by bot-cli init\n")


if __name__ == "__main__":
    unittest.main()
