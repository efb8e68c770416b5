#!/usr/bin/env python3
"""Runs the backend as `bot-cli-cloud` does: `./test.py`"""

import tempfile
import unittest
from pathlib import Path
from typing import Any

from bot_cli_sdk.testing import Host

BACKEND = Path(__file__).with_name("plugin.py")
CANARY = "canary-5f1d"


class BackendTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "kept" / "sets.json"

    def open(self) -> Host:
        host = Host(BACKEND)
        opened = host.request("secrets/open", secrets="1.0", settings={"file": str(self.file)})
        self.assertEqual(opened.error, {})
        return host

    def put(self, host: Host, name: str, entries: dict[str, str], prior: Any = "absent") -> Any:
        return host.request("secrets/put", name=name, entries=entries, prior=prior).data

    def test_keeps_a_set_for_the_next_process(self) -> None:
        with self.open() as host:
            self.put(host, "prod", {"A": CANARY, "B": "2"})
        with self.open() as host:
            self.assertEqual(host.request("secrets/values", name="prod").result, {"values": {"A": CANARY, "B": "2"}})
            self.assertEqual(host.request("secrets/unset", name="prod", keys=["B", "C"]).result, {"missing": ["C"]})
            self.assertEqual(host.request("secrets/get", name="prod").result["set"]["keys"], ["A"])
            self.assertEqual(host.request("secrets/delete", name="prod").result, {"deleted": True})
            self.assertEqual(host.request("secrets/list").result, {"sets": []})

    def test_only_the_user_can_read_the_file(self) -> None:
        with self.open() as host:
            self.put(host, "prod", {"A": CANARY})
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.file.parent.stat().st_mode & 0o777, 0o700)

    def test_processes_do_not_overwrite_each_other(self) -> None:
        hosts = [self.open() for _ in range(4)]
        ids = [host.send("secrets/put", name=f"set-{n}", entries={"A": "1"}, prior="absent") for n, host in enumerate(hosts)]
        for host, id in zip(hosts, ids, strict=True):
            self.assertEqual(host.reply(id).result, {})
            host.close()
        with self.open() as host:
            self.assertEqual(len(host.request("secrets/list").result["sets"]), 4)

    def test_a_damaged_file_stays_as_it_is(self) -> None:
        with self.open() as host:
            self.put(host, "prod", {"A": CANARY})
            damaged = self.file.read_text()[:-9]
            self.file.write_text(damaged)
            self.assertEqual(self.put(host, "other", {"A": "1"}), {"code": "unavailable", "effect": "not_done"})
        self.assertEqual(self.file.read_text(), damaged)


if __name__ == "__main__":
    unittest.main()
