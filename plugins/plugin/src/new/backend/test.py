#!/usr/bin/env python3
"""Talks with the backend as a plugin does. Needs nothing but Python: `./test.py`"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BACKEND = [sys.executable, Path(__file__).with_name("bot-cli-@NAME@")]
CANARY = "canary-5f1d"


class BackendTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "kept" / "sets.json"

    def requests(self, *calls):
        """What goes to one process: `secrets/open`, and then each call of a method with parameters."""
        opened = ("open", {"secrets": "1.0", "settings": {"file": str(self.file)}})
        for id, (method, params) in enumerate([opened, *calls], 1):
            params = {"protocol": "1.0", **params}
            yield {"jsonrpc": "2.0", "id": id, "method": f"secrets/{method}", "params": params}

    def replies(self, *calls):
        """What the backend replies to all calls but `secrets/open`: results, and the data of errors."""
        lines = "".join(json.dumps(request) + "\n" for request in self.requests(*calls))
        ran = subprocess.run(BACKEND, input=lines, capture_output=True, text=True, check=True, timeout=60)
        self.assertEqual(ran.stderr, "")
        replies = [json.loads(line) for line in ran.stdout.splitlines()]
        self.assertEqual([reply["id"] for reply in replies], [*range(1, len(calls) + 2)])
        return [reply["result"] if "result" in reply else reply["error"]["data"] for reply in replies[1:]]

    def put(self, name, entries, prior="absent"):
        return ("put", {"name": name, "entries": entries, "prior": prior})

    def test_keeps_a_set(self):
        [put, more] = self.replies(
            self.put("prod", {"A": CANARY, "B": "2"}), self.put("prod", {"B": "3"}, {"keys": ["A", "B"]})
        )
        self.assertEqual((put, more), ({}, {}))
        # Another process finds it.
        [listed, got, values, missing, deleted, again] = self.replies(
            ("list", {}),
            ("get", {"name": "prod"}),
            ("values", {"name": "prod"}),
            ("unset", {"name": "prod", "keys": ["A", "C"]}),
            ("delete", {"name": "prod"}),
            ("delete", {"name": "prod"}),
        )
        self.assertEqual(listed, {"sets": [{"name": "prod", "kind": "secret", "status": "ready"}]})
        self.assertEqual(got["set"]["keys"], ["A", "B"])
        self.assertEqual(values, {"values": {"A": CANARY, "B": "3"}})
        self.assertEqual(missing, {"missing": ["C"]})
        self.assertEqual((deleted, again), ({"deleted": True}, {"deleted": False}))

    def test_keeps_an_image_pull_secret(self):
        pull = {"name": "pull", "host": "registry.example", "credentials": CANARY, "prior": "absent"}
        [put, got, credentials] = self.replies(
            ("put_image_pull_secret", pull), ("get", {"name": "pull"}), ("credentials", {"name": "pull"})
        )
        self.assertEqual((put, got["set"]["kind"]), ({}, "image_pull_secret"))
        self.assertEqual(credentials, {"host": "registry.example", "credentials": CANARY})

    def test_only_the_user_can_read_the_file(self):
        self.replies(self.put("prod", {"A": CANARY}))
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.file.parent.stat().st_mode & 0o777, 0o700)

    def test_refuses_a_change_of_what_has_changed(self):
        refused = {"code": "conflict", "effect": "not_done"}
        [_, made, removed, values] = self.replies(
            self.put("prod", {"A": CANARY}),
            self.put("prod", {"A": "2"}),
            self.put("other", {"A": "2"}, {"keys": ["A"]}),
            ("values", {"name": "prod"}),
        )
        self.assertEqual((made, removed), (refused, refused))
        self.assertEqual(values, {"values": {"A": CANARY}})

    def test_processes_do_not_overwrite_each_other(self):
        running = []
        for number in range(8):
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
            process = subprocess.Popen(BACKEND, **pipes)
            for request in self.requests(self.put(f"set-{number}", {"A": CANARY})):
                process.stdin.write(json.dumps(request) + "\n")
            process.stdin.close()
            running.append(process)
        for process in running:
            self.assertEqual([json.loads(line)["id"] for line in process.stdout], [1, 2])
            process.stdout.close()
            self.assertEqual(process.wait(60), 0)
        [listed] = self.replies(("list", {}))
        self.assertEqual(len(listed["sets"]), 8)

    def test_a_damaged_file_stays_as_it_is(self):
        self.replies(self.put("prod", {"A": CANARY}))
        self.file.write_text(self.file.read_text()[:-9])
        damaged = self.file.read_text()
        [changed, listed] = self.replies(self.put("other", {"A": "1"}), ("list", {}))
        self.assertEqual(changed, {"code": "unavailable", "effect": "not_done"})
        self.assertEqual(listed, {"code": "unavailable"})
        self.assertEqual(self.file.read_text(), damaged)
        self.assertEqual(sorted(path.name for path in self.file.parent.iterdir()), ["sets.json", "sets.json.lock"])

    def test_says_what_was_not_done(self):
        self.file.parent.write_text("a file is in the way")
        [put] = self.replies(self.put("prod", {"A": CANARY}))
        self.assertEqual(put, {"code": "unavailable", "effect": "not_done"})

    def test_is_a_command(self):
        ran = subprocess.run([*BACKEND, "--version"], capture_output=True, text=True, timeout=60)
        self.assertEqual((ran.returncode, ran.stdout), (0, "bot-cli-@NAME@ 0.1.0\n"))


if __name__ == "__main__":
    unittest.main()
