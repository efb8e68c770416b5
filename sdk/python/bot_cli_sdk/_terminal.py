"""A command that a user starts by hand, without a host: nobody is asked."""

import json
import signal
import sys
from collections.abc import Callable
from typing import Any

from ._server import Server, plain
from .failure import Json


class Terminal(Server):
    """Serves the one request that the user's words are, and shows what it says as lines."""

    def __init__(self, serve: Callable[[Server, str, Json], Json], argv: list[str]) -> None:
        super().__init__(serve)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        own = {"--json": 0, "-q": 0, "--quiet": 0, "-v": 1, "--verbose": 1, "-vv": 2}
        end = argv.index("--") if "--" in argv else len(argv)
        given = {word for word in argv[:end] if word in own}
        argv = [word for word in argv[:end] if word not in own] + argv[end:]
        self._as_json, is_terminal = "--json" in given, sys.stderr.isatty()
        offered = {"stdin": True, "output": not self._as_json, "progress": is_terminal}
        capabilities: Json = {name: {} for name, is_offered in offered.items() if is_offered}
        context: Json = {"format": "json" if self._as_json else "text", "interactive": is_terminal and sys.stdin.isatty()}
        context |= {"quiet": not given.isdisjoint(("-q", "--quiet")), "verbosity": max((own[word] for word in given), default=0)}
        self._params: Json = {"argv": argv, "capabilities": capabilities, "context": context}

    def listen(self) -> None:
        self.take({"id": 1, "method": "run", "params": self._params})
        self.take(None)

    def notify(self, method: str, **params: Any) -> None:
        if method == "output":
            self.write(params["text"].encode("utf-8", "replace"))
        else:
            level = "warning: " if params.get("level") == "warn" else ""
            print(f"{level}{params['message']}", file=sys.stderr)

    def request(self, method: str, params: Json) -> Json:
        return {"text": sys.stdin.read()}

    def line(self, id: Any, **reply: Json) -> bytes:
        if "result" in reply:
            result = reply["result"]
            self.status = result.get("exit", 0)
            return (self._document(result["data"]) if self._as_json else result["text"]).encode("utf-8", "replace")
        error, data = reply["error"], reply["error"]["data"]
        document = self._document({"error": {"message": error["message"], **data}}) if self._as_json else ""
        self.status = error["code"]
        print(error["message"] if data["code"] == "cancelled" else f"error: {error['message']}", file=sys.stderr)
        fields: list[Json] = data.get("fields", [])
        for field in fields if len(fields) > 1 else []:
            print(f"  {field.get('flag', field['field'])}: {field['problem']}", file=sys.stderr)
        asking = ["start it with `bot-cli` to be asked"] if data["code"] == "input_required" else []
        for hint in asking + data.get("hints", []):
            print(f"hint: {hint}", file=sys.stderr)
        return document.encode("utf-8", "replace")

    def _document(self, data: Any) -> str:
        return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False, default=plain) + "\n"

    def end_children(self) -> None:
        """Does nothing: the group may be that of a pipe, and the terminal has told all of it."""
