"""A command that a user starts by hand, without a host."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, NoReturn

from ._server import encoded
from .failure import Cancelled, Failure
from .session import Json, Session


class Terminal:
    """Asks and tells the user in plain lines on standard error."""

    def __init__(self) -> None:
        # As under a host, the rest of what this process prints is not the result.
        self.output = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
        os.dup2(2, 1)

    def notify(self, method: str, **params: Any) -> None:
        if method == "output":
            self.output.write(params["text"])
            self.output.flush()
        else:
            level = "warning: " if params.get("level") == "warn" else ""
            print(f"{level}{params['message']}", file=sys.stderr)

    def request(self, method: str, params: Json) -> Json:
        if method == "stdin":
            return {"text": sys.stdin.read()}
        if problem := params.get("problem"):
            print(problem, file=sys.stderr)
        choices = [choice["value"] for choice in params.get("choices", [])]
        for line in (params.get("details"), params.get("help"), *(f"  {choice}" for choice in choices)):
            if line:
                print(line, file=sys.stderr)
        default = params.get("default")
        shown = {True: "yes", False: "no"}.get(default, default) if isinstance(default, bool) else default
        prompt = f"{params['message']}{'' if shown is None else f' [{shown}]'}: "
        try:
            sys.stderr.write("" if params["kind"] == "password" else prompt)
            sys.stderr.flush()
            line = _hidden(prompt) if params["kind"] == "password" else input()
        except EOFError:
            raise Cancelled from None
        if line == "back" and params.get("back"):
            return {"action": "back"}
        value: Any = line
        if not line and default is not None:
            value = default
        elif params["kind"] == "confirm":
            value = {"y": True, "yes": True, "n": False, "no": False}.get(line.lower())
        elif params["kind"] == "multiselect":
            value = [part.strip() for part in line.split(",") if part.strip()]
        return {"action": "accept", "value": value}

    @contextmanager
    def shielded(self) -> Generator[None, None, None]:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _hidden(prompt: str) -> str:
    from getpass import getpass  # noqa: PLC0415

    return getpass(prompt)


def run(result: Callable[[Session], Json], argv: list[str]) -> NoReturn:
    """Runs the command, prints its result or its failure, and exits."""
    own = {"--json": 0, "-q": 0, "--quiet": 0, "-v": 1, "--verbose": 1, "-vv": 2}
    end = argv.index("--") if "--" in argv else len(argv)
    given = [word for word in argv[:end] if word in own]
    argv = [word for word in argv[:end] if word not in own] + argv[end:]
    as_json = "--json" in given
    is_terminal = sys.stdin.isatty() and sys.stderr.isatty()
    kinds = ["text", "password", "confirm", "select", "multiselect"] if is_terminal else []
    capabilities: Json = {"ask": {"kinds": kinds}, "stdin": {}}
    capabilities |= ({} if as_json else {"output": {}}) | ({"progress": {}} if is_terminal else {})
    context = {"interactive": is_terminal, "verbosity": max((own[word] for word in given), default=0)}
    context |= {"format": "json" if as_json else "text", "quiet": bool({"-q", "--quiet"} & {*given})}
    terminal = Terminal()
    session = Session(terminal, {"argv": argv, "capabilities": capabilities, "context": context})
    signal.signal(signal.SIGINT, _cancel)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        reply = result(session)
    except Cancelled:
        print("cancelled", file=sys.stderr)
        sys.exit(130)
    except Failure as failure:
        fields: list[Json] = failure.data.get("fields", [])
        if as_json:
            more = {name: value for name, value in failure.data.items() if name != "code"}
            print(json.dumps({"error": {"code": failure.code, "message": failure.message, **more}}), file=terminal.output, flush=True)
        print(f"error: {failure.message}", file=sys.stderr)
        for field in fields if len(fields) > 1 else []:
            print(f"  {field.get('flag', field['field'])}: {field['problem']}", file=sys.stderr)
        for hint in failure.data.get("hints", []):
            print(f"hint: {hint}", file=sys.stderr)
        sys.exit(failure.exit)
    document = json.loads(encoded({"data": reply.get("data")}))["data"]
    terminal.output.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n" if as_json else reply["text"])
    terminal.output.close()
    sys.exit(reply.get("exit", 0))


def _cancel(_number: int, _frame: object) -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise Cancelled
