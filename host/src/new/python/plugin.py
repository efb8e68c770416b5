#!/usr/bin/env python3
# bot-cli-plugin: {"protocol":"1.0","name":"@NAME@","version":"0.1.0","about":"Greets somebody","command":{"name":"@NAME@","about":"Greets somebody","arguments":[{"name":"who","kind":"positional","about":"Who is greeted","value_name":"WHO","completion":"dynamic"},{"name":"language","kind":"option","long":"language","about":"In which language","value_name":"LANGUAGE","completion":"dynamic"}]}}
#
# The line above is all that listing, help and completion read. Keep it in step with `parser` and `COMPLETIONS`.
"""Greets somebody: `bot-cli @NAME@ world`; without a name it asks for one."""

import argparse
import json
import os
import signal
import sys
from collections import deque

NAME = "@NAME@"
VERSION = "0.1.0"
GREETINGS = {"en": "Hello", "de": "Hallo"}
COMPLETIONS = {"--language": list(GREETINGS), None: ["world", "moon"]}


class Failure(Exception):
    """Ends the run with an exit status and a message for the user."""

    def __init__(self, exit, code, message, **data):
        super().__init__(message)
        self.error = {"code": exit, "message": message, "data": {"code": code, **data}}


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Failure(2, "usage", "the words can't be used", hints=[f"bot-cli {NAME} --help"])


def parser():
    parser = Parser(prog=f"bot-cli {NAME}", description="Greets somebody", add_help=False)
    parser.add_argument("who", nargs="?", help="who is greeted")
    parser.add_argument("--language", choices=GREETINGS, default="en", help="in which language")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    return parser


def work(words, ask):
    """Does the work. Returns the text for people and the data for programs."""
    options = parser().parse_args(words)
    who = options.who or ask("who", "Who is greeted")
    text = f"{GREETINGS[options.language]}, {who}.\n"
    return text, {"who": who, "language": options.language}


def candidates(words):
    """What the last word may become."""
    option, typed = (words[-2] if len(words) > 1 else None), words[-1]
    prefix = ""
    if typed.startswith("--") and "=" in typed:
        option, typed = typed.split("=", 1)
        prefix = f"{option}="
    values = COMPLETIONS.get(option, COMPLETIONS[None])
    return [{"value": prefix + value} for value in values if value.startswith(typed)]


# --- From here on: the protocol. ---


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Unreadable(Exception):
    """A line that is no message, with the code and the reason."""


class Told(Exception):
    """A signal told the plugin to end."""


class Plugin:
    def __init__(self, requests, replies):
        self.requests, self.replies = requests, replies
        self.waiting = deque()
        self.asked = 0

    def serve(self):
        try:
            while (message := self.next()) is not None:
                if "method" in message and message.get("id") is not None:
                    self.answer(message)
        except Told as told_by:
            for request in self.waiting:
                if request.get("id") is not None:
                    self.send(id=request["id"], error=cancelled(*told_by.args).error)
            raise

    def answer(self, request):
        self.id, self.params = request["id"], request.get("params") or {}
        told_by = None
        try:
            reply = self.reply(request["method"])
            hold_signals()  # One that comes now waits until the reply is sent: there is one reply.
        except Told as error:
            reply, told_by = {"error": cancelled(*error.args).error}, error
        self.send(id=self.id, **reply)
        if told_by:
            raise told_by
        release_signals()

    def reply(self, method):
        try:
            return {"result": self.result(method)}
        except Failure as failure:
            return {"error": failure.error}
        except Told:
            raise
        except Exception as error:
            return {"error": {"code": -32603, "message": type(error).__name__}}

    def result(self, method):
        if method not in ("run", "complete"):
            raise refused(-32601, "there is no such method")
        if str(self.params.get("protocol", "1.0")).split(".")[0] != "1":
            raise refused(-32022, "the protocol version is not supported", {"supported": ["1.0"]})
        words = self.params.get("argv")
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise refused(-32602, "`params.argv` must be a list of strings")
        if method == "complete":
            return {"candidates": candidates(words or [""])}
        if "--help" in words:
            return {"text": (text := parser().format_help()), "data": {"help": text}}
        if "--version" in words:
            data = {"name": NAME, "version": VERSION}
            return {"text": f"bot-cli-{NAME} {VERSION}\n", "data": data}
        text, data = work(words, self.ask)
        return {"text": text, "data": data}

    def ask(self, key, message):
        """The user's answer, or the scripted one."""
        question = {"key": key, "kind": "text", "message": message}
        answers = self.params.get("answers") or {}
        if key in answers:
            if isinstance(answers[key], str):
                return answers[key]
            raise Failure(2, "invalid_input", f"the answer to `{key}` is no text")
        offered = (self.params.get("capabilities") or {}).get("ask") or {}
        if "text" not in offered.get("kinds", []):
            raise Failure(2, "input_required", f"`{key}` is missing", inputs=[question])
        self.asked += 1
        id = f"ask-{self.asked}"
        self.send(id=id, method="ask", params=question)
        # Requests that come meanwhile wait for their turn.
        while (reply := self.read()) is not None:
            if reply.get("method") == "cancel":
                if (reply.get("params") or {}).get("id") == self.id:
                    break
            elif "method" in reply:
                self.waiting.append(reply)
            elif reply.get("id") == id:
                result = reply.get("result") or {}
                if result.get("action") == "accept":
                    return result["value"]
                break
        raise cancelled()

    def next(self):
        return self.waiting.popleft() if self.waiting else self.read()

    def read(self):
        """The next message; None at the end of the input."""
        for line in self.requests:
            if line.strip():
                try:
                    return decoded(line)
                except Unreadable as why:
                    code, message = why.args
                    self.send(id=None, error={"code": code, "message": message})
        return None

    def send(self, **message):
        line = json.dumps({"jsonrpc": "2.0", **message})
        self.replies.write(line.encode() + b"\n")
        self.replies.flush()


def decoded(line):
    try:
        message = json.loads(line.decode())
    except (ValueError, RecursionError):
        raise Unreadable(-32700, "the line is not JSON in UTF-8") from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise Unreadable(-32600, "the line is not a message")
    if not isinstance(message.get("method", ""), str) or not {"method", "result", "error"} & {*message}:
        raise Unreadable(-32600, "the line is not a message")
    if isinstance(message.get("id", 0), bool) or not isinstance(message.get("id", 0), int | str | None):
        raise Unreadable(-32600, "the line is not a message")
    if "params" in message and not isinstance(message["params"], dict | None):
        raise Unreadable(-32600, "the line is not a message")
    return message


def refused(code, message, data=None):
    failure = Failure(code, "", message)
    failure.error["data"] = data or {}
    return failure


def cancelled(number=signal.SIGINT):
    return Failure(130 if number == signal.SIGINT else 143, "cancelled", "cancelled")


def told(number, frame):
    hold_signals()  # One is enough.
    raise Told(number)


def hold_signals():
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)


def release_signals():
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def speak():
    # A stray print, also of a program that this one starts, reaches standard error and not the host.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for number in SIGNALS:
        signal.signal(number, told)
    try:
        Plugin(sys.stdin.buffer, replies).serve()
    except BrokenPipeError:
        os._exit(1)  # the host is gone
    except Told as told_by:
        os._exit(128 + told_by.args[0])


def command():
    """An ordinary command, for those who start it by hand."""
    words = sys.argv[1:]
    if "--help" in words or "-h" in words:
        print(parser().format_help(), end="")
    elif "--version" in words:
        print(f"bot-cli-{NAME} {VERSION}")
    else:
        try:
            text, data = work(words, lambda key, message: input(f"{message}: "))
        except (Failure, EOFError) as failure:
            print(f"error: {failure or 'nobody answered'}", file=sys.stderr)
            sys.exit(failure.error["code"] if isinstance(failure, Failure) else 2)
        print(json.dumps(data, indent=2) if "--json" in words else text.rstrip("\n"))


if __name__ == "__main__":
    if len(sys.argv) > 1 or sys.stdin.isatty():
        command()
    else:
        speak()
