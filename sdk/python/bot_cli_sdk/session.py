"""Interaction with the user while a command runs: questions, progress and messages."""

import base64
import json
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ._server import Server
from .failure import FAILED, USAGE, Cancelled, Failure, Json, given, members

Level = Literal["warn", "note", "info", "debug"]
Kind = Literal["text", "password", "confirm", "select", "multiselect"]
_LEVELS: dict[str, int] = {"warn": 0, "note": 0, "info": 1, "debug": 2}
_BACK = object()


@dataclass
class Question:
    """A question to ask the user. `check` returns the problem with an answer, or `None`."""

    key: str
    message: str
    kind: Kind = "text"
    choices: Sequence[str | tuple[str, str]] = ()
    default: Any = None
    flag: str | None = None
    help: str | None = None
    details: str | None = None
    check: Callable[[Any], str | None] | None = field(default=None, repr=False)

    def wire(self) -> Json:
        """Returns the parameters of `ask`. A choice is a value or a `(value, label)` pair."""
        pairs = [(choice, choice) if isinstance(choice, str) else choice for choice in self.choices]
        choices = [{"value": value, "label": label} for value, label in pairs]
        return given(**{**vars(self), "choices": choices, "check": None})

    def problem(self, answer: Any) -> str | None:
        """Returns the problem with an answer, or `None`."""
        values = [choice if isinstance(choice, str) else choice[0] for choice in self.choices]
        if self.kind == "multiselect":
            fits = isinstance(answer, list) and all(it in values for it in answer)  # pyright: ignore[reportUnknownVariableType]
        elif self.kind == "confirm":
            fits = isinstance(answer, bool)
        else:
            fits = isinstance(answer, str) and (self.kind != "select" or answer in values)
        return (self.check(answer) if self.check else None) if fits else "is not a possible answer"


Step = Question | Callable[[Json], Question | None]
"""A question, or a function that takes the previous answers and returns a question or `None`."""


class Session:
    """Access to the user and the context of one request."""

    def __init__(self, peer: Server, params: Json) -> None:
        self._peer = peer
        self._offered: Json = members(params.get("capabilities"))
        self._given: Json = members(params.get("answers"))
        self.context: Json = members(params.get("context"))
        self.argv: list[str] = params.get("argv") or []
        self.withheld = ""  # output to prepend to the result, if the host can't show it immediately
        self.knows_password = False
        get = self.context.get
        self.cwd = Path(get("cwd") or os.getcwd())
        self.interactive, self.quiet = bool(get("interactive")), bool(get("quiet"))
        self.color, self.json = get("color") == "always", get("format") == "json"
        self.verbosity, self.width = (_number(get(name), usual) for name, usual in (("verbosity", 0), ("width", 100)))

    def progress(self, message: str, current: int | None = None, total: int | None = None) -> None:
        """Shows the progress of the command."""
        if "progress" in self._offered:
            self._peer.notify("progress", **given(message=message, current=current, total=total))

    def log(self, message: str, level: Level = "note", data: Any = None) -> None:
        """Shows a message: `warn` always, `note` unless `-q` is given, `info` with `-v`, `debug` with `-vv`. `data` is for `--json=lines`."""
        if self.verbosity >= _LEVELS[level] and not (self.quiet and level == "note"):
            self._peer.notify("log", **given(level=level, message=" ".join(message.split()), data=data if self.json else None))

    def output(self, text: str, data: Any = None) -> None:
        """Shows part of the result immediately. `data` is for `--json=lines`."""
        if "output" in self._offered:
            self._peer.notify("output", **given(text=text, data=data if self.json else None))
        else:
            self.withheld += text

    def stdin(self) -> str | bytes:
        """Returns the user's piped input: a string, or bytes if it is not UTF-8."""
        if "stdin" not in self._offered:
            raise Failure("there is no input to read", code="invalid_input", exit=USAGE)
        reply = self._peer.request("stdin", {})
        return base64.b64decode(reply["base64"]) if "base64" in reply else str(reply.get("text", ""))

    def project(self) -> Json:
        """Returns the description of the user's bot project, as `bot-cli init --describe --json` prints it."""
        return project(Path(self.context.get("project") or self.cwd))

    def finish(self) -> AbstractContextManager[None]:
        """Returns a context manager that protects a block from cancellation. The block should take less than 5 seconds."""
        return self._peer.shielded()

    def ask(self, question: Question) -> Any:
        """Asks a question and returns the answer: a boolean for `confirm`, a list for `multiselect`, and a string otherwise."""
        return self.ask_all([question])[question.key]

    def text(self, key: str, message: str, default: str | None = None, **more: Any) -> str:
        return self.ask(Question(key, message, default=default, **more))

    def password(self, key: str, message: str, **more: Any) -> str:
        return self.ask(Question(key, message, "password", **more))

    def confirm(self, key: str, message: str, default: bool | None = None, **more: Any) -> bool:
        return self.ask(Question(key, message, "confirm", default=default, **more))

    def select(self, key: str, message: str, choices: Sequence[str | tuple[str, str]], **more: Any) -> str:
        return self.ask(Question(key, message, "select", choices, **more))

    def ask_all(self, steps: Iterable[Step]) -> Json:
        """Asks several questions in order and returns the answers by key. The user can go back to the previous question."""
        steps = list(steps)
        answers: Json = {}
        asked: list[tuple[int, str]] = []
        missing: list[Question] = []
        at = 0
        while at < len(steps):
            step = steps[at]
            if missing and not isinstance(step, Question):
                break  # it depends on a missing answer
            question = step if isinstance(step, Question) else step(answers)
            if question:
                self.knows_password |= question.kind == "password"
                if question.key in self._given:
                    answers[question.key] = self._taken(question)
                elif question.kind in members(self._offered.get("ask")).get("kinds", []):
                    answer = self._answer(question, back=bool(asked))
                    if answer is _BACK:
                        at, key = asked.pop()
                        del answers[key]
                        continue
                    answers[question.key] = answer
                    asked.append((at, question.key))
                elif question.default is not None:
                    answers[question.key] = question.default
                else:
                    missing.append(question)
            at += 1
        if missing:
            raise _input_required(missing)
        return answers

    def _taken(self, question: Question) -> Any:
        if problem := question.problem(self._given[question.key]):
            fields = [{"field": question.key, "problem": problem}]
            raise Failure(f"the answer to `{question.key}` {problem}", code="invalid_input", exit=USAGE, fields=fields)
        return self._given[question.key]

    def _answer(self, question: Question, back: bool) -> Any:
        params = question.wire() | ({"back": True} if back else {})
        while True:
            result = self._peer.request("ask", params)
            if result.get("action") == "back" and back:
                return _BACK
            if result.get("action") != "accept":
                raise Cancelled
            params["problem"] = question.problem(result.get("value"))
            if params["problem"] is None:
                return result.get("value")


def _number(value: Any, usual: int) -> int:
    return value if type(value) is int and value >= 0 else usual


def project(folder: Path | None = None) -> Json:
    """Returns the description of the bot project that contains a folder: by default the current one, as in a completion function."""
    import subprocess  # noqa: PLC0415 - slow to import

    command = [os.environ.get("BOT_CLI_HOST") or "bot-cli", "init", "--describe", "--json", folder or Path.cwd()]
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    try:
        document = members(json.loads(ran.stdout))
    except ValueError:
        document = {}
    if ran.returncode == 0 and document:
        return document
    error: Json = {"message": f"`bot-cli init --describe` ended with status {ran.returncode}", **members(document.get("error"))}
    raise Failure(**error, exit=max(ran.returncode, FAILED))


def _input_required(missing: Sequence[Question]) -> Failure:
    flags = ", ".join(question.flag for question in missing if question.flag)
    what = f"`{missing[0].flag or missing[0].key}` is missing" if len(missing) == 1 else f"{len(missing)} answers are missing"
    fields = [given(field=it.key, problem="missing", flag=it.flag) for it in missing]
    hints = [f"answer with {flags}"] if flags else []
    inputs = [question.wire() for question in missing]
    message = f"{what}, and there is no terminal to ask on"
    return Failure(message, code="input_required", exit=USAGE, hints=hints, fields=fields, inputs=inputs)
