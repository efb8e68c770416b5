"""A command that a user starts by hand, without a host: nobody is asked."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, NoReturn

from ._server import plain
from .failure import Cancelled, Failure, Json
from .session import Session


class Terminal:
    """Shows a command's output, and the rest in plain lines on standard error."""

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
        return {"text": sys.stdin.read()}

    @contextmanager
    def shielded(self) -> Generator[None, None, None]:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def run(result: Callable[[Session], Json], argv: list[str]) -> NoReturn:
    """Runs the command, prints its result or its failure, and exits."""
    own = {"--json": 0, "-q": 0, "--quiet": 0, "-v": 1, "--verbose": 1, "-vv": 2}
    end = argv.index("--") if "--" in argv else len(argv)
    given = {word for word in argv[:end] if word in own}
    argv = [word for word in argv[:end] if word not in own] + argv[end:]
    as_json, is_terminal = "--json" in given, sys.stderr.isatty()
    offered = {"stdin": True, "output": not as_json, "progress": is_terminal}
    capabilities: Json = {name: {} for name, is_offered in offered.items() if is_offered}
    context = {"format": "json" if as_json else "text", "quiet": bool({"-q", "--quiet"} & given), "interactive": is_terminal and sys.stdin.isatty()}
    context["verbosity"] = max((own[word] for word in given), default=0)
    terminal = Terminal()
    signal.signal(signal.SIGINT, _cancel)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        reply = result(Session(terminal, {"argv": argv, "capabilities": capabilities, "context": context}))
    except Cancelled:
        print("cancelled", file=sys.stderr)
        sys.exit(130)
    except Failure as failure:
        if as_json:
            print(json.dumps({"error": {"message": failure.message, **failure.data}}), file=terminal.output, flush=True)
        print(f"error: {failure.message}", file=sys.stderr)
        fields: list[Json] = failure.data.get("fields", [])
        for field in fields if len(fields) > 1 else []:
            print(f"  {field.get('flag', field['field'])}: {field['problem']}", file=sys.stderr)
        asking = ["start it with `bot-cli` to be asked"] if failure.code == "input_required" else []
        for hint in asking + failure.data.get("hints", []):
            print(f"hint: {hint}", file=sys.stderr)
        sys.exit(failure.exit)
    document = json.dumps(reply["data"], indent=2, ensure_ascii=False, allow_nan=False, default=plain) if as_json else ""
    terminal.output.write(f"{document}\n" if as_json else reply["text"])
    terminal.output.close()
    sys.exit(reply.get("exit", 0))


def _cancel(_number: int, _frame: object) -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise Cancelled
