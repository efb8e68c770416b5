"""Runs a plugin as a host does, and answers its questions."""

import json
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any, cast

from .failure import Json, members

KINDS = ["text", "password", "confirm", "select", "multiselect"]
BACK = object()
"""An answer that goes back to the previous question."""


class Reply:
    """A reply, with the questions and notifications that came before it."""

    def __init__(self, message: Json, questions: list[Json], said: list[tuple[str, Json]]) -> None:
        self.result: Json = message.get("result") or {}
        self.error: Json = message.get("error") or {}
        self.questions, self.said = questions, said
        self.text: str = self.result.get("text", "")
        self.data: Any = self.result.get("data", self.error.get("data"))
        self.exit: int = self.result.get("exit", 0) if "result" in message else self.error["code"]
        self.code: str | None = members(self.error.get("data")).get("code")

    def of(self, method: str) -> list[str]:
        """Returns the text of every notification of one kind, such as `log`."""
        return [params.get("message", params.get("text", "")) for name, params in self.said if name == method]


class Host:
    """A running plugin, started from a source file or an executable.

    ```
    with Host("plugin.py") as host:
        reply = host.run("world", answers={"language": "de"})
    ```
    """

    def __init__(self, plugin: str | Path, **options: Any) -> None:
        self.process = Popen([sys.executable, str(plugin)], stdin=PIPE, stdout=PIPE, start_new_session=True, **options)
        assert self.process.stdin
        assert self.process.stdout
        self._to, self._from = self.process.stdin, self.process.stdout
        self._last = 0
        self._answers: dict[str, list[Any]] = {}

    def run(self, *argv: str, answers: Mapping[str, Any] | None = None, given: Json | None = None, **params: Any) -> Reply:
        """Runs a command. `answers` answer the plugin's questions; `given` are sent with the request.

        A tuple answers repeated questions in order. Without `answers`, the plugin can't ask questions.
        """
        offered: Json = {"stdin": {}, "progress": {}, "output": {}}
        if answers is not None:
            offered["ask"] = {"kinds": KINDS}
            self._answers = {key: list(cast("tuple[Any]", value)) if isinstance(value, tuple) else [value] for key, value in answers.items()}
        return self.request("run", argv=list(argv), answers=given or {}, capabilities=offered, **params)

    def request(self, method: str, **params: Any) -> Reply:
        return self.reply(self.send(method, **params))

    def send(self, method: str, **params: Any) -> int:
        """Sends a request and returns its id."""
        self._last += 1
        self._write(id=self._last, method=method, params={"protocol": "1.0", **params})
        return self._last

    def reply(self, id: int) -> Reply:
        """Waits for the reply to a request, answering questions until it arrives."""
        questions: list[Json] = []
        said: list[tuple[str, Json]] = []
        while True:
            message = self.read()
            if "method" not in message and message.get("id") == id:
                return Reply(message, questions, said)
            if message.get("method") == "ask":
                questions.append(message["params"])
                self._answer(message["id"], message["params"])
            elif message.get("method") == "stdin":
                self._write(id=message["id"], result={"text": ""})
            else:
                said.append((message.get("method", ""), message.get("params", {})))

    def read(self) -> Json:
        """Returns the plugin's next message."""
        if line := self._from.readline():
            return cast("Json", json.loads(line))
        raise EOFError(f"the plugin has ended with status {self.process.wait()}, without a reply")

    def cancel(self, id: int, reason: str = "user") -> None:
        self._write(method="cancel", params={"id": id, "reason": reason})

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def close(self) -> int:
        """Closes the plugin's input and returns its exit status, which is negative if a signal killed it."""
        self._to.close()
        status = self.process.wait(30)
        self._from.close()
        return status

    def _answer(self, id: Any, question: Json) -> None:
        left = self._answers.get(question["key"]) or [question.get("default")]
        action = "back" if left[0] is BACK else "cancel" if left[0] is None else "accept"
        self._write(id=id, result={"action": action, **({"value": left[0]} if action == "accept" else {})})
        left[:] = left[1:] or left

    def _write(self, **message: Any) -> None:
        self._to.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._to.flush()

    def __enter__(self) -> "Host":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind:
            self.process.kill()
        self.close()
