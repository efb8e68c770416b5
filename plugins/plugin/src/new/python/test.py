#!/usr/bin/env python3
"""Runs the plugin as a host does, and as a command. Needs nothing but Python: `./test.py`"""

import json
import signal
import subprocess
import sys
import unittest
from pathlib import Path

PLUGIN = [sys.executable, Path(__file__).with_name("bot-cli-@NAME@")]


def speak(*messages):
    """What the plugin replies and asks after messages that come all at once."""
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    ran = subprocess.run(PLUGIN, input=lines, capture_output=True, text=True, check=True, timeout=60)
    return [said for line in ran.stdout.splitlines() if "id" in (said := json.loads(line))]


def run(id, argv, **params):
    return {"id": id, "method": "run", "params": {"protocol": "1.0", "argv": argv, **params}}


class PluginTest(unittest.TestCase):
    def test_greets(self):
        [reply] = speak(run(1, ["moon", "--language", "de"]))
        self.assertEqual(reply["result"]["text"], "Hallo, moon.\n")
        self.assertEqual(reply["result"]["data"], {"who": "moon", "language": "de"})

    def test_asks(self):
        [reply] = speak(run(1, [], answers={"who": "ada"}))
        self.assertEqual(reply["result"]["text"], "Hello, ada.\n")
        offered = {"ask": {"kinds": ["text"]}}
        answer = {"id": "ask-1", "result": {"action": "accept", "value": "ada"}}
        [question, reply] = speak(run(1, [], capabilities=offered), answer)
        self.assertEqual(question["params"]["key"], "who")
        self.assertEqual(reply["result"]["text"], "Hello, ada.\n")
        [reply] = speak(run(1, []))
        self.assertEqual(reply["error"]["data"]["code"], "input_required")

    def test_ends_at_once_and_replies_once(self):
        cancel = {"jsonrpc": "2.0", "method": "cancel", "params": {"id": 1}}
        for stop, status in ((None, 130), (signal.SIGTERM, 143)):
            with subprocess.Popen(PLUGIN, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as plugin:
                # A question that nobody answers is work without an end.
                request = {"jsonrpc": "2.0", **run(1, [], capabilities={"ask": {"kinds": ["text"]}})}
                plugin.stdin.write(json.dumps(request).encode() + b"\n")
                plugin.stdin.flush()
                plugin.stdout.readline()
                if stop:
                    plugin.send_signal(stop)
                else:
                    plugin.stdin.write(json.dumps(cancel).encode() + b"\n")
                    plugin.stdin.flush()
                [reply] = plugin.stdout
            self.assertEqual(json.loads(reply)["error"]["code"], status)
            self.assertEqual(plugin.returncode, status)

    def test_finishes_a_reply_that_it_has_begun(self):
        with subprocess.Popen(PLUGIN, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as plugin:
            request = {"jsonrpc": "2.0", **run(1, ["x" * 1_000_000])}  # more than a pipe holds
            plugin.stdin.write(json.dumps(request).encode() + b"\n")
            plugin.stdin.flush()
            plugin.stdout.readline()
            begun = plugin.stdout.read1(1)
            plugin.terminate()
            [reply] = (begun + plugin.stdout.read()).splitlines()
        self.assertIn("result", json.loads(reply))
        self.assertEqual(plugin.returncode, 128 + signal.SIGTERM)

    def test_completes(self):
        [reply] = speak({"id": 1, "method": "complete", "params": {"argv": ["--language=d"]}})
        self.assertEqual(reply["result"]["candidates"], [{"value": "--language=de"}])

    def test_is_a_command(self):
        ran = subprocess.run([*PLUGIN, "world"], capture_output=True, text=True, timeout=60)
        self.assertEqual((ran.returncode, ran.stdout), (0, "Hello, world.\n"))


if __name__ == "__main__":
    unittest.main()
