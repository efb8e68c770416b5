#!/usr/bin/env python3
# @MANIFEST@{"protocol":"1.0","name":"@NAME@","version":"0.1.0","about":"Greets somebody","command":{"name":"@NAME@","about":"Greets somebody","arguments":[{"name":"who","kind":"positional","about":"Who is greeted","value_name":"WHO","completion":"dynamic"},{"name":"language","kind":"option","long":"language","about":"In which language","value_name":"LANGUAGE","completion":"dynamic"}]}}
#
# The line above is all that listing, help and completion read. Keep it in step with `parser` and `COMPLETIONS`.
"""Greets somebody: `bot-cli @NAME@ world`; without a name it asks for one."""

import argparse
import json
import os
import queue
import signal
import sys
import threading

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


def work(words, ask, progress):
    """Does the work, which Ctrl-C ends at any point. Returns the text for people and the data for programs."""
    options = parser().parse_args(words)
    who = options.who or ask("who", "Who is greeted")
    progress(f"Greeting {who}")
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


class Plugin:
    """Threads hear the host and do the work: what is not wanted any more ends with the process."""

    def __init__(self, requests, replies):
        self.requests, self.replies = requests, replies
        self.lock = threading.RLock()
        self.waiting, self.answers = queue.Queue(), queue.Queue()
        self.open, self.unwanted = [], []  # Requests without a reply, by id.
        self.asked = 0

    def run(self):
        """Waits for a signal or for the end of the input."""
        woken, wakeup = os.pipe()
        os.set_blocking(wakeup, False)
        # Each signal becomes a byte: between a look and a wait, none is missed.
        signal.set_wakeup_fd(wakeup)
        for number in SIGNALS:
            signal.signal(number, lambda number, frame: None)
        threading.Thread(target=self.hear, args=(wakeup,), daemon=True).start()
        if number := os.read(woken, 1)[0]:
            self.end(128 + number)

    def hear(self, wakeup):
        worker = threading.Thread(target=self.serve, daemon=True)
        worker.start()
        try:
            for line in self.requests:
                if line.strip():
                    self.take(line)
            self.waiting.put(None)
            self.answers.put(None)
            worker.join()
        finally:
            os.write(wakeup, b"\0")

    def take(self, line):
        try:
            message = decoded(line)
        except Unreadable as why:
            code, reason = why.args
            return self.send(id=None, error={"code": code, "message": reason})
        if message.get("method") == "cancel":
            self.cancel((message.get("params") or {}).get("id"))
        elif "method" not in message:
            self.answers.put(message)
        elif message.get("id") is not None:
            with self.lock:
                self.open.append(message["id"])
            self.waiting.put(message)

    def cancel(self, id):
        with self.lock:
            if id in self.open:
                self.unwanted.append(id)
                # A request that is wanted gets its reply first.
                if all(id in self.unwanted for id in self.open):
                    self.end(130)
                self.answers.put({"id": f"ask-{self.asked}"})

    def end(self, status):
        """Replies to what is open. Nobody else replies any more, since the lock is kept."""
        self.lock.acquire()
        try:
            for id in self.open:
                self.send(id=id, error=cancelled(status).error)
        finally:
            os._exit(status)

    def serve(self):
        while (request := self.waiting.get()) is not None:
            self.id, self.params = request["id"], request.get("params") or {}
            wanted = self.id not in self.unwanted
            reply = self.reply(request["method"]) if wanted else {"error": cancelled(130).error}
            with self.lock:
                self.open.remove(self.id)
                self.send(id=self.id, **reply)

    def reply(self, method):
        try:
            return {"result": self.result(method)}
        except Failure as failure:
            return {"error": failure.error}
        except BaseException as error:
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
        text, data = work(words, self.ask, self.progress)
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
        while (reply := self.answers.get()) and reply.get("id") != id:
            pass
        if reply is None:
            self.answers.put(None)  # The input has ended for every question.
        result = reply and reply.get("result") or {}
        if result.get("action") == "accept":
            return result["value"]
        raise cancelled(130)

    def progress(self, message):
        self.send(method="progress", params={"id": self.id, "message": message})

    def send(self, **message):
        line = json.dumps({"jsonrpc": "2.0", **message})
        with self.lock:
            try:
                self.replies.write(line.encode() + b"\n")
                self.replies.flush()
            except BrokenPipeError:
                os._exit(1)  # the host is gone


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


def cancelled(status):
    return Failure(130 if status == 130 else 143, "cancelled", "cancelled")


def speak():
    # A stray print, also of a program that this one starts, reaches standard error and not the host.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    Plugin(sys.stdin.buffer, replies).run()


def command():
    """An ordinary command, for those who start it by hand."""
    words = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if "--help" in words or "-h" in words:
        print(parser().format_help(), end="")
    elif "--version" in words:
        print(f"bot-cli-{NAME} {VERSION}")
    else:
        try:
            text, data = work(words, lambda key, message: input(f"{message}: "), lambda message: None)
        except (Failure, EOFError) as failure:
            print(f"error: {failure or 'nobody answered'}", file=sys.stderr)
            sys.exit(failure.error["code"] if isinstance(failure, Failure) else 2)
        print(json.dumps(data, indent=2) if "--json" in words else text.rstrip("\n"))


if __name__ == "__main__":
    if len(sys.argv) > 1 or sys.stdin.isatty():
        command()
    else:
        speak()
