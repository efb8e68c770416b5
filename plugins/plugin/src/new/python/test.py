#!/usr/bin/env python3
"""Runs the plugin as a host does: `./test.py`"""

import unittest
from pathlib import Path

from bot_cli_sdk.testing import Host

PLUGIN = Path(__file__).with_name("plugin.py")


class PluginTest(unittest.TestCase):
    def test_greets(self) -> None:
        with Host(PLUGIN) as host:
            reply = host.run("moon", "--language", "de")
        self.assertEqual(reply.text, "Hallo, moon.\n")
        self.assertEqual(reply.data, {"who": "moon", "language": "de"})
        self.assertEqual(reply.of("progress"), ["Greeting moon"])

    def test_asks(self) -> None:
        with Host(PLUGIN) as host:
            self.assertEqual(host.run(answers={"who": "ada"}).text, "Hello, ada.\n")
            self.assertEqual(host.run().code, "input_required")


if __name__ == "__main__":
    unittest.main()
