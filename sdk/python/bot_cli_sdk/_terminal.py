"""Runs a command directly, without a host. It can't ask questions."""

import json
import signal
import sys
from collections.abc import Callable
from typing import Any

from ._server import Server, plain
from .failure import Json


class Terminal(Server):
    """Runs one command with the user's arguments and prints its notifications and result."""

    def __init__(self, serve: Callable[[Server, str, Json], Json], argv: list[str]) -> None:
        super().__init__(serve)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        self._argv = argv
        self._as_json = self._as_lines = False

    def listen(self) -> None:
        self.take({"id": 1, "method": "run", "params": {"argv": self._argv}})
        self.take(None)

    def adapted(self, params: Json, options: list[str]) -> Json:
        self._as_lines = "--json=lines" in options
        self._as_json = self._as_lines or "--json" in options
        is_terminal = sys.stderr.isatty()
        shows_progress = (self._as_lines or is_terminal) and not {"-q", "--quiet"} & {*options}
        offered = {"stdin": True, "output": self._as_lines or not self._as_json, "progress": shows_progress}
        capabilities: Json = {name: {} for name, is_offered in offered.items() if is_offered}
        context: Json = {"interactive": is_terminal and sys.stdin.isatty()}
        return super().adapted({**params, "capabilities": capabilities, "context": context}, options)

    def notify(self, method: str, **params: Any) -> None:
        if self._as_lines:
            self.write(self._document({method: params}))
        elif method == "output":
            self.write(params["text"].encode("utf-8", "replace"))
        else:
            level = "warning: " if params.get("level") == "warn" else ""
            print(f"{level}{params['message']}", file=sys.stderr)

    def request(self, method: str, params: Json) -> Json:
        return {"text": sys.stdin.read()}

    def line(self, id: Any, **reply: Json) -> bytes:
        self.status = reply["result"].get("exit", 0) if "result" in reply else reply["error"]["code"]
        if self._as_lines:
            return self._document(reply)
        if "result" in reply:
            result = reply["result"]
            return self._document(result["data"]) if self._as_json else result["text"].encode("utf-8", "replace")
        error, data = reply["error"], reply["error"]["data"]
        document = self._document({"error": {"message": error["message"], **data}}) if self._as_json else b""
        print(error["message"] if data["code"] == "cancelled" else f"error: {error['message']}", file=sys.stderr)
        fields: list[Json] = data.get("fields", [])
        for field in fields if len(fields) > 1 else []:
            print(f"  {field.get('flag', field['field'])}: {field['problem']}", file=sys.stderr)
        asking = ["start it with `bot-cli` to be asked"] if data["code"] == "input_required" else []
        for hint in asking + data.get("hints", []):
            print(f"hint: {hint}", file=sys.stderr)
        return document

    def _document(self, data: Any) -> bytes:
        text = json.dumps(data, indent=None if self._as_lines else 2, ensure_ascii=False, allow_nan=False, default=plain)
        return text.encode("utf-8", "replace") + b"\n"

    def end_children(self) -> None:
        """Does nothing: the process group may include other commands in a pipeline, and the terminal signals the whole group."""
