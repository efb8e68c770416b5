"""Commands built from functions: arguments come from the signature, and help from the docstring."""

import inspect
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, is_dataclass
from pathlib import Path
from typing import Any, Literal, Union

from .failure import USAGE, Failure, Json, given
from .session import Kind, Question, Session

Complete = Literal["file", "folder", "command", "none"] | Callable[[str], Iterable[str]]


@dataclass(frozen=True)
class Arg:
    """Settings for a parameter, given in its annotation: `Annotated[str, Arg("Name to greet", ask="Name")]`.

    `ask` is the question to ask if the argument is missing. A `password` can only be asked for, not passed as an argument. `complete` is a completion
    source, or a function that takes the partial word and returns values; for a `Path`, it defaults to `file`. `check` returns an error, or `None`.
    """

    about: str | None = None
    ask: str | None = None
    short: str | None = None
    complete: Complete | None = None
    check: Callable[[Any], str | None] | None = None
    password: bool = False
    hidden: bool = False


@dataclass
class Reply:
    """The result of a command. `data` is printed with `--json`, and defaults to the text."""

    text: str = ""
    data: Any = None
    exit: int = 0
    next: Sequence[str] = field(default_factory=list[str])


_WRONG: dict[Any, str] = {str: "", Path: "", int: "must be a whole number", float: "must be a number"}
_ABSENT: Any = inspect.Parameter.empty
_JSON_TYPES: dict[Any, str] = {
    **{str: "string", Path: "string", int: "integer", float: "number", bool: "boolean"},
    **{types.NoneType: "null", list: "array", dict: "object"},
}


class Parameter:
    """A parameter of a command function: an argument or a question."""

    def __init__(self, parameter: inspect.Parameter, hint: Any, about: str | None) -> None:
        self.name = parameter.name
        self.arg = Arg()
        self.repeatable = False
        while origin := typing.get_origin(hint):
            if origin is typing.Annotated:
                hint, *more = typing.get_args(hint)
                self.arg = next((it for it in more if isinstance(it, Arg)), Arg())
            elif origin in (Union, types.UnionType):
                (hint,) = (it for it in typing.get_args(hint) if it is not types.NoneType)
            elif origin is list:
                (hint,) = typing.get_args(hint)
                self.repeatable = True
            else:
                break
        self.values: tuple[str, ...] = typing.get_args(hint) if typing.get_origin(hint) is Literal else ()
        self.is_flag = hint is bool
        if not self.is_flag and not self.values and hint not in _WRONG:
            raise TypeError(f"parameter `{self.name}`: no argument can be of this type")
        self.convert: Callable[[str], Any] = str if self.values else hint
        self.wrong = _WRONG.get(hint, "")
        self.default: Any = parameter.default
        self.about = self.arg.about or about
        self.complete = self.arg.complete or ("file" if hint is Path else None)
        self.positional = parameter.kind is not parameter.KEYWORD_ONLY and not self.is_flag
        off = "no-" if self.default is True else ""
        self.long = None if self.positional or self.arg.password else off + self.name.replace("_", "-")
        self.flag = f"--{self.long}" if self.long else None
        self.required = self.default is _ABSENT and not (self.arg.ask or self.arg.password or self.is_flag)
        if self.required and self.repeatable and not self.positional:
            self.required, self.default = False, list[Any]()
        self.value_name = self.name.upper()
        has_text = self.default not in (_ABSENT, None, []) and not isinstance(self.default, bool)
        self.default_text = str(self.default) if has_text else None

    def manifest(self) -> Json:
        kind = "positional" if self.positional else "flag" if self.is_flag else "option"
        found = given(name=self.name, kind=kind, long=self.long, short=self.arg.short, about=self.about, default=self.default_text)
        found |= given(value_name=None if self.is_flag else self.value_name, values=[{"value": value} for value in self.values])
        found |= given(required=self.required or None, repeatable=self.repeatable or None, hidden=self.arg.hidden or None)
        return found | given(completion="dynamic" if callable(self.complete) else self.complete)

    @property
    def usage(self) -> str:
        if not self.positional:
            return (f"-{self.arg.short}, " if self.arg.short else "") + f"--{self.long}" + ("" if self.is_flag else f" <{self.value_name}>")
        return (f"<{self.value_name}>" if self.required else f"[{self.value_name}]") + ("..." if self.repeatable else "")

    @property
    def described(self) -> str:
        default = self.default_text and f"[default: {self.default_text}]"
        values = f"[possible values: {', '.join(self.values)}]" if self.values else ""
        return " ".join(part for part in (self.about, default, values) if part)

    def problem(self, what: str) -> Json:
        return given(field=self.name, problem=what, flag=self.flag)

    def read(self, words: Sequence[str]) -> Any:
        """Parses the values given for this argument. Errors don't quote them, because they may be secret."""
        values: list[Any] = []
        for word in words:
            if self.values and word not in self.values:
                raise ValueError(f"must be one of {', '.join(f'`{value}`' for value in self.values)}")
            try:
                values.append(self.convert(word))
            except ValueError:
                raise ValueError(self.wrong) from None
        value = values if self.repeatable else values[-1]
        if self.arg.check and (problem := self.arg.check(value)):
            raise ValueError(problem)
        return value

    def question(self) -> Question:
        free: Kind = "password" if self.arg.password else "confirm" if self.is_flag else "text"
        kind: Kind = free if not self.values else "multiselect" if self.repeatable else "select"
        default: Any = self.default_text if kind == "text" else None if self.default is _ABSENT else self.default

        def check(answer: Any) -> str | None:
            try:
                value = self.answered(answer)
            except ValueError as why:
                return str(why)
            return self.arg.check(value) if self.arg.check else None

        return Question(self.name, self.arg.ask or self.name, kind, self.values, default, self.flag, check=check)

    def answered(self, answer: Any) -> Any:
        if not isinstance(answer, str) or self.arg.password:
            return answer
        return self.read(answer.split(",") if self.repeatable else [answer])


class Command:
    """A command: a function and its arguments."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self.function, self.name = function, name
        hints = typing.get_type_hints(function, include_extras=True)
        parameters = inspect.signature(function).parameters
        self.result = _declared(hints.get("return"))
        lines = (inspect.getdoc(function) or "").splitlines()
        abouts = dict(line.strip().split(": ", 1) for line in lines if line.split(":")[0].strip() in parameters and ": " in line)
        text = [line for line in lines if line.split(":")[0].strip() not in parameters]
        self.about = text[0].rstrip(".") if text else ""
        self.details = "\n".join(text).strip() if len(text) > 2 else ""
        self.session: str | None = None
        self.parameters: list[Parameter] = []
        for parameter in parameters.values():
            hint = hints.get(parameter.name, str)
            if hint is Session:
                self.session = parameter.name
            else:
                self.parameters.append(Parameter(parameter, hint, abouts.get(parameter.name)))
        self.arguments = [it for it in self.parameters if not it.arg.password]
        self.places = [it for it in self.arguments if it.positional]
        self.options = {f"--{it.long}": it for it in self.arguments if it.long}
        self.options |= {f"-{it.arg.short}": it for it in self.arguments if it.arg.short}

    def manifest(self) -> Json:
        details = self.details if self.details.count("\n") > 1 else None
        arguments = [it.manifest() for it in self.arguments]
        return given(name=self.name, about=self.about, arguments=arguments, details=details, result=self.result)

    def call(self, session: Session, words: Sequence[str]) -> Any:
        values = self.parse(words)
        asked = [it for it in self.parameters if it.name not in values]
        answers = session.ask_all([it.question() for it in asked])
        values |= {it.name: it.answered(answers[it.name]) for it in asked}
        return self.function(**values, **({self.session: session} if self.session else {}))

    def parse(self, words: Sequence[str]) -> Json:
        """Returns the values of all parameters, except those still to be asked for. Reports all problems in one failure."""
        found, problems = self.split(words)
        values: Json = {}
        for it in self.arguments:
            if it.name in found:
                try:
                    values[it.name] = it.default is not True if it.is_flag else it.read(found[it.name])
                except ValueError as why:
                    problems.append(it.problem(str(why)))
            elif it.required:
                problems.append(it.problem("missing"))
            elif not it.arg.ask:
                values[it.name] = False if it.default is _ABSENT else it.default
        if problems:
            what, name = problems[0]["problem"], problems[0].get("flag", problems[0]["field"])
            shown = what if name == "arguments" else f"`{name}` is missing" if what == "missing" else f"`{name}` {what}"
            raise Failure(shown if len(problems) == 1 else f"{len(problems)} problems", code="usage", exit=USAGE, fields=problems)
        return values

    def split(self, words: Sequence[str]) -> tuple[dict[str, list[str]], list[Json]]:
        """Returns the values given for each argument, and the problems. An unknown option or extra argument is the only problem reported."""
        found: dict[str, list[str]] = {}
        problems: list[Json] = []
        places, rest, ended = [*self.places], [*words], False
        while rest:
            word = rest.pop(0)
            if word == "--" and not ended:
                ended = True
            elif word[:1] == "-" and len(word) > 1 and not word[1].isdigit() and not ended:
                is_long = word.startswith("--")
                name, attached, value = word.partition("=") if is_long else (word[:2], word[2:], word[2:].removeprefix("="))
                it = self.options.get(name)
                if it is None:
                    return found, [{"field": "arguments", "problem": _unknown(name, self.options)}]
                if it.is_flag:
                    found[it.name] = []
                    if attached and is_long:
                        problems.append(it.problem("takes no value"))
                    elif attached:
                        rest.insert(0, f"-{attached}")
                elif attached or rest:
                    found.setdefault(it.name, []).append(value if attached else rest.pop(0))
                else:
                    problems.append(it.problem("lacks its value"))
            elif places:
                found.setdefault(places[0].name, []).append(word)
                places = places if places[0].repeatable else places[1:]
            else:
                return found, [{"field": "arguments", "problem": "too many arguments"}]
        return found, problems

    def complete(self, words: Sequence[str]) -> list[Json]:
        """Returns completions for the last word."""
        *before, word = words or [""]
        options = {name: it for name, it in self.options.items() if not it.is_flag}
        name, equals, typed = word.partition("=")
        it, prefix = options.get(before[-1] if before else ""), ""
        if equals and name in options:
            it, prefix, word = options[name], name + equals, typed
        elif not it:
            found, _ = self.split(before)
            it = next((it for it in self.places if it.repeatable or it.name not in found), None)
        source = it.arg.complete if it else None
        values = source(word) if callable(source) else it.values if it else ()
        return [{"value": prefix + value} for value in values if value.startswith(word)]

    def help(self, called: str) -> str:
        places = [(it.usage, it.about or "") for it in self.places]
        options = [(it.usage, it.described) for it in self.arguments if not it.positional and not it.arg.hidden]
        usage = " ".join([f"Usage: {called}", *(["[OPTIONS]"] if options else []), *(name for name, _ in places)])
        parts = [self.details or self.about, usage, table("Arguments", places), table("Options", options)]
        return "\n\n".join(part for part in parts if part) + "\n"


def _declared(hint: Any) -> Json | None:
    """Returns the JSON Schema for a return annotation such as `Animal`, `list[Animal]` or `Annotated[Reply, Animal]`, or `None`."""
    hint = typing.get_args(hint)[1] if typing.get_origin(hint) is typing.Annotated else hint
    if isinstance(hint, dict):
        return typing.cast("Json", hint)
    found = {} if hint is Reply else _schema(hint)
    return found if "properties" in found.get("items", found) else None


def _schema(hint: Any, within: tuple[Any, ...] = ()) -> Json:
    origin, arguments = typing.get_origin(hint) or hint, typing.get_args(hint)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(it, within) for it in arguments]}
    if (typing.is_typeddict(hint) or is_dataclass(hint)) and hint not in within:
        properties = {name: _schema(it, (*within, hint)) for name, it in typing.get_type_hints(hint).items()}
        required = getattr(hint, "__required_keys__", properties)
        return {"type": "object", "properties": properties, "required": [name for name in properties if name in required]}
    found = given(type=_JSON_TYPES.get(origin))
    return found | {"items": _schema(arguments[0], within)} if origin is list and arguments else found


def table(heading: str, rows: Sequence[tuple[str, str]]) -> str:
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join([f"{heading}:", *(f"  {name:{width}}  {about}".rstrip() for name, about in rows)]) if rows else ""


def _unknown(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only needed after a typo

    near = get_close_matches(name, known, 1)
    return "there is no such option" + (f", but `{near[0]}`" if near else "")
