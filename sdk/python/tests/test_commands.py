"""Tests commands over the protocol and run directly."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

from bot_cli_sdk.testing import BACK, Host, Reply

FOLDER = Path(__file__).parent
ZOO = FOLDER / "plugins" / "zoo.py"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(FOLDER.parent)}

ECHOED: dict[str, Any] = {"words": [], "quick": False, "note": "", "chip": None, "json": False, "verbosity": 0, "quiet": False}


def host() -> Host:
    return Host(ZOO, env=ENVIRONMENT, stderr=subprocess.DEVNULL)


def run(*argv: str, answers: dict[str, object] | None = None, given: dict[str, object] | None = None) -> Reply:
    with host() as plugin:
        return plugin.run(*argv, answers=answers, given=given)


def by_hand(*argv: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, ZOO, *argv], env=ENVIRONMENT, input=text, capture_output=True, text=True, check=False, timeout=60)


class Arguments(unittest.TestCase):
    def test_types_and_defaults_of_the_signature(self) -> None:
        reply = run("add", "ada", "--legs=2", "-lk", "bird", "fish", "--no-tame", "--", "-x", given={"token": "abc"})
        self.assertEqual(reply.error, {})
        values = {"name": "ada", "foods": ["fish", "-x"], "kind": "bird", "legs": 2, "loud": True, "tame": False}
        self.assertEqual(reply.data, {**values, "file": "zoo.txt", "token": 3})
        self.assertEqual((reply.text, reply.result["next"]), ("Added ada\n", ["bot-cli zoo show"]))
        self.assertEqual((reply.of("progress"), reply.of("log"), reply.of("output")), (["Feeding"], ["it bites"], ["fed\n"]))

    def test_every_problem_is_reported_and_no_value(self) -> None:
        reply = run("add", "much too long a name", "--legs", "qwertz", "--kind", "qwertz", given={"token": ""})
        self.assertEqual((reply.exit, reply.code, reply.error["message"]), (2, "usage", "3 problems"))
        problems = {field["field"]: field["problem"] for field in reply.data["fields"]}
        self.assertEqual(problems, {"name": "must be short", "legs": "must be a whole number", "kind": "must be one of `cat`, `bird`"})
        self.assertNotIn("qwertz", json.dumps(reply.error))

    def test_mistyped_words(self) -> None:
        for words, message in (
            (["add", "--leg", "1"], "there is no such option, but `--legs`"),
            (["add", "-z"], "there is no such option"),
            (["add", "a", "--loud=1"], "`--loud` takes no value"),
            (["add", "a", "--legs"], "`--legs` lacks its value"),
            (["show", "more"], "too many arguments"),
            (["work"], "2 problems"),
            (["nothing"], "there is no such command"),
        ):
            reply = run(*words, given={"token": ""})
            self.assertEqual((reply.exit, reply.error["message"]), (2, message), words)
            self.assertTrue(reply.data["hints"][0].endswith("--help"))

    def test_results_of_any_type(self) -> None:
        shown = run("show")
        self.assertEqual((shown.text, shown.data), ("", [{"name": "ada", "legs": 4}]))
        soon = run("soon")
        self.assertEqual((soon.text, soon.data), ("soon\n", "soon"))

    def test_help_is_made_of_docstrings(self) -> None:
        text = run("add", "--help").text
        self.assertTrue(text.startswith("Adds an animal.\n\nOnly for a while.\nThen it leaves.\n\nUsage: bot-cli zoo add "), text)
        self.assertIn("  [NAME]      What it is called\n", text)
        self.assertIn("  -n, --legs <LEGS>  How many legs [default: 4]\n", text)
        self.assertIn("--no-tame", text)
        self.assertNotIn("token", text)
        self.assertIn("  add     Adds an animal\n", run("--help").text)
        self.assertEqual(run("--version").data, {"name": "zoo", "version": "1.2.3"})

    def test_completion(self) -> None:
        for words, values in (
            (["a"], ["add"]),
            (["add", "--kind", "b"], ["bird"]),
            (["add", "--kind=b"], ["--kind=bird"]),
            (["add", "-k", ""], ["cat", "bird"]),
            (["work", ""], ["sleep", "compute", "child", "stubborn", "finish", "loop", "ask"]),
            (["work", "sleep", ""], []),
        ):
            with host() as plugin:
                reply = plugin.request("complete", argv=words)
            self.assertEqual([it["value"] for it in reply.result["candidates"]], values, words)


class HostOptions(unittest.TestCase):
    def test_a_request_may_have_the_options_of_the_host(self) -> None:
        for words, expected in (
            (["echo", "a", "--json", "-v", "--", "-v", "--json"], {"words": ["a", "-v", "--json"], "json": True, "verbosity": 1}),
            (["--json=lines", "-vv", "echo", "--quiet"], {"json": True, "verbosity": 2, "quiet": True}),
            (["-q", "--verbose", "echo", "-v"], {"quiet": True, "verbosity": 2}),
            # The command declares `-q`, and `-v` is a value.
            (["echo", "-q", "--note", "-v"], {"quick": True, "note": "-v"}),
        ):
            reply = run(*words)
            self.assertEqual(reply.data, {**ECHOED, **expected}, words)
        reply = run("echo", "--json=line")
        self.assertEqual((reply.exit, reply.code, reply.error["message"]), (2, "usage", "`--json` takes no value but `lines`"))

    def test_what_is_shown_follows_from_them(self) -> None:
        self.assertEqual(run("echo").of("log"), ["warn", "note"])
        self.assertEqual(run("--quiet", "echo", "-v").of("log"), ["warn", "info"])
        with host() as plugin:
            reply = plugin.run("echo", "-v", context={"verbosity": 1, "format": "json"})
        self.assertEqual(reply.of("log"), ["warn", "note", "info", "debug"])
        self.assertIn(("output", {"id": 1, "text": "part\n", "data": {"part": 1}}), reply.said)
        self.assertIn(("log", {"id": 1, "level": "info", "message": "info", "data": {"level": "info"}}), reply.said)


class Manifest(unittest.TestCase):
    def setUp(self) -> None:
        with host() as plugin:
            commands = plugin.request("describe").result["command"]["commands"]
        self.commands = {command["name"]: command for command in commands}

    def test_the_return_annotation_declares_the_result(self) -> None:
        text, flag = {"type": "string"}, {"type": "boolean"}
        properties = {
            "words": {"type": "array", "items": text},
            **{"quick": flag, "note": {"enum": ["", "-v"]}, "chip": {"anyOf": [text, {"type": "null"}]}},
            **{"json": flag, "verbosity": {"type": "integer"}, "quiet": flag},
        }
        self.assertEqual(self.commands["echo"]["result"], {"type": "object", "properties": properties, "required": list(properties)})
        animal = {"type": "object", "properties": {"name": text, "legs": {"type": "integer"}}, "required": ["name", "legs"]}
        self.assertEqual(self.commands["show"]["result"], {"type": "array", "items": animal})
        self.assertEqual([name for name in self.commands if "result" in self.commands[name]], ["echo", "show"])

    def test_a_path_completes_files_unless_it_says_otherwise(self) -> None:
        found = {it["name"]: it.get("completion") for it in self.commands["echo"]["arguments"]}
        self.assertEqual((found["chip"], found["tag"], found["note"]), ("file", "none", None))


class Project(unittest.TestCase):
    def describe(self, script: str, **context: str) -> Reply:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "bot-cli"
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
            with Host(ZOO, env={**ENVIRONMENT, "BOT_CLI_HOST": str(program)}, stderr=subprocess.DEVNULL) as plugin:
                return plugin.run("locate", context=context)

    def test_the_host_describes_the_project(self) -> None:
        echo = """echo "{\\"words\\": \\"$*\\", \\"cwd\\": \\"$PWD\\"}\""""
        reply = self.describe(echo, cwd="/usr/bin", project="/usr")
        self.assertEqual(reply.data, {"words": "init --describe --json /usr", "cwd": os.getcwd()})
        self.assertEqual(self.describe(echo, cwd="/usr").data["words"], "init --describe --json /usr")

    def test_a_failure_of_the_host_is_that_of_the_command(self) -> None:
        error = {"code": "no_project", "message": "`/usr` is not a project", "hints": ["bot-cli init"]}
        reply = self.describe(f"echo '{json.dumps({'error': error})}'; exit 2")
        data = {"code": "no_project", "hints": ["bot-cli init"]}
        self.assertEqual(reply.error, {"code": 2, "message": "`/usr` is not a project", "data": data})
        reply = self.describe("exit 127")
        self.assertEqual((reply.exit, reply.error["message"]), (127, "`bot-cli init --describe` ended with status 127"))


class Questions(unittest.TestCase):
    def test_a_missing_argument_is_asked_for(self) -> None:
        reply = run("add", "--legs", "3", answers={"name": ("much too long a name", "ada"), "kind": "bird", "token": "abc"})
        self.assertEqual((reply.data["name"], reply.data["kind"], reply.data["token"]), ("ada", "bird", 3))
        keys = [(it["key"], it["kind"], it.get("back", False), it.get("problem")) for it in reply.questions]
        self.assertEqual(
            keys,
            [
                ("name", "text", False, None),
                ("name", "text", False, "must be short"),
                ("kind", "select", True, None),
                ("token", "password", True, None),
            ],
        )

    def test_going_back(self) -> None:
        reply = run("choose", answers={"first": ("x", "skip"), "second": BACK, "third": ["b"]})
        self.assertEqual(reply.data, {"first": "skip", "third": ["b"]})
        self.assertEqual([it["key"] for it in reply.questions], ["first", "second", "first", "third"])

    def test_all_missing_answers_are_listed(self) -> None:
        reply = run("add")
        self.assertEqual((reply.exit, reply.code), (2, "input_required"))
        self.assertEqual([it["key"] for it in reply.data["inputs"]], ["name"])
        self.assertEqual(reply.error["message"], "`name` is missing, and there is no terminal to ask on")
        self.assertEqual(reply.data["hints"], ["bot-cli zoo add --help"])
        reply = run("choose")
        self.assertEqual([it["key"] for it in reply.data["inputs"]], ["second", "third"])
        self.assertEqual(reply.error["message"], "2 answers are missing, and there is no terminal to ask on")

    def test_a_scripted_answer_must_be_possible(self) -> None:
        reply = run("choose", given={"second": "yes"})
        self.assertEqual((reply.exit, reply.code), (2, "invalid_input"))

    def test_a_cancelled_question_ends_the_run(self) -> None:
        self.assertEqual(run("add", answers={}).exit, 130)


class Failures(unittest.TestCase):
    def test_typed(self) -> None:
        reply = run("fail", "typed")
        data = {"code": "not_signed_in", "hints": ["zoo login"], "outcome": "not_done"}
        self.assertEqual(reply.error, {"code": 4, "message": "not signed in", "data": data})

    def test_untyped(self) -> None:
        for how, message in (
            ("file", "`/no/such/file`: no such file or directory"),
            ("other", "internal error: `ValueError` at zoo.py:LINE: unexpected"),
            ("long", "the result is longer than 8 MiB"),
            ("exit", "internal error: `SystemExit` at zoo.py:LINE: 3"),
            ("no JSON", "internal error: `ValueError`"),
        ):
            reply = run("fail", how)
            self.assertEqual((reply.exit, re.sub(r"py:\d+", "py:LINE", reply.error["message"])), (1, message))

    def test_a_password_is_in_no_message(self) -> None:
        for how, message in (
            ("password", "internal error: `ValueError` at zoo.py:LINE"),
            ("secret text", "`ConnectionError`"),
            ("secret URL", "`HTTPError`"),
            ("secret file", "no such file or directory"),
            ("URL", "HTTP Error 401: Unauthorized"),
        ):
            with host() as plugin:
                reply = plugin.run("fail", how, answers={"token": "canary"}, context={"verbosity": 2})
            self.assertEqual(re.sub(r"py:\d+", "py:LINE", reply.error["message"]), message)
            self.assertNotIn("canary", json.dumps(reply.error))

    def test_text_that_is_not_unicode_does_not_break_the_protocol(self) -> None:
        self.assertEqual(run("fail", "not text").text, "a?b?\n")


class Lines(unittest.TestCase):
    def test_a_line_that_is_too_long_is_refused_and_not_kept(self) -> None:
        longest = 8 * 1024 * 1024
        request = b'{"jsonrpc":"2.0","id":1,"method":"describe","params":{}}'
        with host() as plugin:
            stdin = plugin.process.stdin
            assert stdin
            for line, code in (
                (request.ljust(longest) + b"\r", None),
                (request.ljust(longest + 1), -32600),
                (request.ljust(longest) + b"\r" + b"x" * 100_000_000, -32600),
            ):
                stdin.write(line + b"\n")
                stdin.flush()
                self.assertEqual(plugin.read().get("error", {}).get("code"), code)
            memory = Path(f"/proc/{plugin.process.pid}/status")
            if memory.exists():
                peak = next(line for line in memory.read_text().splitlines() if line.startswith("VmHWM"))
                self.assertLess(int(peak.split()[1]), 100_000)


class Ends(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.left = Path(folder.name) / "left"

    def stop(self, how: str, with_signal: signal.Signals | None) -> tuple[Reply, float, int]:
        """Starts a command, stops it, and returns the reply, the time until the reply, and the exit status."""
        with host() as plugin:
            id = plugin.send("run", argv=["work", how, str(self.left)], capabilities={"progress": {}, "ask": {"kinds": ["text"]}})
            self.assertEqual(plugin.read()["method"], "progress")
            if how == "ask":
                self.assertEqual(plugin.read()["method"], "ask")
            else:
                time.sleep(0.2)
            began = time.monotonic()
            if with_signal:
                plugin.signal(with_signal)
            else:
                plugin.cancel(id)
            reply = plugin.reply(id)
            took = time.monotonic() - began
            return reply, took, plugin.close()

    def test_whatever_it_does_a_command_ends_and_tidies_up(self) -> None:
        for how in ("sleep", "compute", "child", "loop", "ask"):
            reply, took, status = self.stop(how, None)
            self.assertEqual((reply.exit, reply.code, status), (130, "cancelled", 0), how)
            self.assertLess(took, 0.8, how)
            self.assertEqual(self.left.read_text(), "began, tidied up", how)

    def test_signals_do_the_same(self) -> None:
        for number, exit in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 143)):
            reply, took, status = self.stop("sleep", number)
            self.assertEqual((reply.exit, reply.code, status), (exit, "cancelled", 128 + number))
            self.assertLess(took, 0.8)
            self.assertEqual(self.left.read_text(), "began, tidied up")

    def test_a_command_that_catches_everything_ends_with_the_process(self) -> None:
        for number, status in ((None, 130), (signal.SIGTERM, 143)):
            reply, _, ended = self.stop("stubborn", number)
            self.assertEqual((reply.exit, ended), (status, status))

    def test_a_step_that_must_finish_does(self) -> None:
        reply, took, _ = self.stop("finish", None)
        self.assertEqual((reply.exit, self.left.read_text()), (130, "finished, tidied up"))
        self.assertGreater(took, 1)

    def test_a_signal_of_the_command_itself_ends_nothing(self) -> None:
        self.assertEqual(run("timer").text, "rang\n")

    def test_no_child_is_left(self) -> None:
        self.stop("child", None)
        found = subprocess.run(["pgrep", "-f", "^sleep 61$"], capture_output=True, text=True, check=False)
        self.assertEqual(found.stdout, "")

    def test_the_next_request_is_served_after_a_cancelled_one(self) -> None:
        with host() as plugin:
            first = plugin.send("run", argv=["work", "sleep", str(self.left)])
            second = plugin.send("run", argv=["work", "sleep", str(self.left)])
            third = plugin.send("run", argv=["show"])
            plugin.cancel(second)
            plugin.cancel(first)
            self.assertEqual([plugin.reply(id).exit for id in (first, second, third)], [130, 130, 0])

    def test_an_idle_plugin_ends_at_once(self) -> None:
        with host() as plugin:
            plugin.run("show")
            plugin.signal(signal.SIGTERM)
            self.assertEqual(plugin.process.wait(10), 143)

    def test_a_host_that_is_gone_ends_the_work(self) -> None:
        plugin = host()
        plugin.send("run", argv=["work", "sleep", str(self.left)], capabilities={"progress": {}})
        plugin.read()
        assert plugin.process.stdin
        assert plugin.process.stdout
        plugin.process.stdin.close()
        plugin.process.stdout.close()
        plugin.process.wait(5)
        self.assertEqual(self.left.read_text(), "began, tidied up")

    def test_a_reply_that_is_begun_is_finished(self) -> None:
        with host() as plugin:
            id = plugin.send("run", argv=["add", "a", *["x" * 1000] * 1000], answers={"token": ""})
            time.sleep(0.5)  # the pipe is full
            plugin.signal(signal.SIGTERM)
            self.assertEqual(len(plugin.reply(id).data["foods"]), 1000)
            self.assertEqual(plugin.process.wait(10), 143)


class ByHand(unittest.TestCase):
    def test_prints_text_or_data(self) -> None:
        self.assertEqual(by_hand("soon").stdout, "soon\n")
        self.assertEqual(json.loads(by_hand("show", "--json").stdout), [{"name": "ada", "legs": 4}])

    def test_prints_lines(self) -> None:
        ran = by_hand("echo", "--json=lines", "--json", "-v")
        lines: list[Any] = [
            {"progress": {"message": "Echoing", "current": 1, "total": 2}},
            *({"log": {"level": level, "message": level, "data": {"level": level}}} for level in ("warn", "note", "info")),
            {"output": {"text": "part\n", "data": {"part": 1}}},
            {"result": {"text": "echoed\n", "data": {**ECHOED, "json": True, "verbosity": 1}, "exit": 5}},
        ]
        self.assertEqual(([json.loads(line) for line in ran.stdout.splitlines()], ran.stderr, ran.returncode), (lines, "", 5))
        ran = by_hand("--json=lines", "fail", "typed")
        error = {"code": 4, "message": "not signed in", "data": {"code": "not_signed_in", "hints": ["zoo login"], "outcome": "not_done"}}
        self.assertEqual((json.loads(ran.stdout), ran.stderr, ran.returncode), ({"error": error}, "", 4))
        ran = by_hand("echo", "--json=line")
        self.assertEqual((ran.stdout, ran.returncode), ("", 2))

    def test_a_line_is_written_at_once(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            words = [sys.executable, ZOO, "work", "sleep", f"{folder}/left", "--json=lines"]
            process = subprocess.Popen(words, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
            assert process.stdout
            self.assertEqual(json.loads(process.stdout.readline()), {"progress": {"message": "working"}})
            process.send_signal(signal.SIGINT)
            self.assertEqual(json.loads(process.communicate()[0])["error"]["code"], 130)

    def test_failures(self) -> None:
        ran = by_hand("add")
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("error: `name` is missing, and there is no terminal to ask on\nhint: start it with `bot-cli` to be asked\n", ran.stderr)
        ran = by_hand("fail", "typed", "--json")
        error = {"code": "not_signed_in", "message": "not signed in", "hints": ["zoo login"], "outcome": "not_done"}
        self.assertEqual((ran.returncode, json.loads(ran.stdout)), (4, {"error": error}))
        self.assertEqual(ran.stderr, "error: not signed in\nhint: zoo login\n")

    def test_a_signal_ends_the_work_as_under_a_host(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            left = Path(folder) / "left"
            words = [sys.executable, ZOO, "work", "sleep", left]
            process = subprocess.Popen(words, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
            while not left.exists():
                time.sleep(0.05)
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            self.assertEqual((process.communicate()[1], process.returncode), ("cancelled\n", 130))
            self.assertEqual(left.read_text(), "began, tidied up")


if __name__ == "__main__":
    unittest.main()
