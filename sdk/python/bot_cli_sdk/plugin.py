"""Plugins that provide commands."""

import inspect
import itertools
import os
import sys
from collections.abc import Callable
from errno import errorcode
from typing import Any, NoReturn, TypeVar

from ._build import PROTOCOL, build_if_asked
from ._server import Server
from ._terminal import Terminal
from .command import Command, Reply, table
from .failure import USAGE, ErrorReply, Failure, Json, defect, given
from .session import Session

Function = TypeVar("Function", bound=Callable[..., Any])
_HOST_OPTIONS = ("--json", "--json=lines", "-v", "-vv", "--verbose", "-q", "--quiet")


class Plugin:
    """A plugin that users run as `bot-cli NAME …`.

    `@plugin.root` defines the command `NAME` itself, and `@plugin.command` a subcommand. A command returns a `Reply`, text or data.
    """

    def __init__(self, name: str, version: str, about: str = "") -> None:
        self.name, self.version, self.about = name, version, about
        self._root: Command | None = None
        self._commands: dict[str, Command] = {}

    def root(self, function: Function) -> Function:
        self._root = Command(function, self.name)
        self.about = self.about or self._root.about
        return function

    def command(self, function: Function) -> Function:
        name = function.__name__.rstrip("_").replace("_", "-")
        self._commands[name] = Command(function, name)
        return function

    def manifest(self) -> Json:
        root = self._root.manifest() if self._root else {"name": self.name}
        command = root | given(about=self.about, commands=[it.manifest() for it in self._commands.values()])
        return {"protocol": PROTOCOL, "name": self.name, "version": self.version, "about": self.about, "command": command}

    def main(self) -> NoReturn:
        """Serves a host, or runs one command if the plugin is run directly."""
        build_if_asked(self.manifest())
        if len(sys.argv) > 1 or sys.stdin.isatty():
            Terminal(self._serve, sys.argv[1:]).run()
        Server(self._serve).run()

    def _serve(self, server: Server, method: str, params: Json) -> Json:
        if method == "describe":
            return self.manifest()
        if method not in ("run", "complete"):
            raise ErrorReply(-32601, "there is no such method")
        words: list[Any] = params["argv"] if isinstance(params.get("argv"), list) else [None]
        if not all(isinstance(word, str) for word in words):
            raise ErrorReply(-32602, "`argv` must be a list of strings")
        if method == "complete":
            return {"candidates": self._complete(words)}
        words, options = self._host_options(words)
        params = server.adapted({**params, "argv": words}, options)
        if any(option.startswith("--json=") and option != "--json=lines" for option in options):
            fields = [{"field": "json", "flag": "--json", "problem": "takes no value but `lines`"}]
            raise Failure("`--json` takes no value but `lines`", code="usage", exit=USAGE, fields=fields)
        return self.result(Session(server, params))

    def _host_options(self, words: list[str]) -> tuple[list[str], list[str]]:
        """Separates the command's arguments from the host's options, up to `--`. Options that the command declares belong to the command."""
        kept: list[str] = []
        found: list[str] = []
        command, rest = self._root, iter(words)
        for word in rest:
            is_long = word.startswith("--")
            name = word.partition("=")[0] if is_long else word[:2]
            declared = command.options if command else {}
            value_of = declared.get(word if is_long else f"-{word[-1:]}") if word[:1] == "-" else None
            if word == "--":
                kept += [word, *rest]
            elif (word in _HOST_OPTIONS or name == "--json") and name not in declared:
                found.append(word)
            else:
                command = command if kept else self._commands.get(word, command)
                kept += [word, *itertools.islice(rest, 1 if value_of and not value_of.is_flag else 0)]
        return kept, found

    def _complete(self, words: list[str]) -> list[Json]:
        command = self._commands.get(words[0]) if len(words) > 1 else None
        if command:
            return command.complete(words[1:])
        names = [{"value": name} for name in self._commands if len(words) == 1 and name.startswith(words[0])]
        return names + (self._root.complete(words) if self._root else [])

    def result(self, session: Session) -> Json:
        """Runs the command that the user named, and returns its result."""
        words = session.argv
        before = words[: words.index("--")] if "--" in words else words
        command = self._commands.get(words[0]) if words else None
        path = f"bot-cli {self.name} {command.name}" if command else f"bot-cli {self.name}"
        if "--version" in before or "-V" in before:
            return {"text": f"bot-cli-{self.name} {self.version}\n", "data": {"name": self.name, "version": self.version}}
        if "--help" in before or "-h" in before or not (words or self._root):
            text = command.help(path) if command else self._help(path)
            return {"text": text, "data": {"help": text}}
        called = command or self._root
        try:
            if called is None:
                raise Failure("there is no such command", code="usage", exit=USAGE)
            returned = called.call(session, words[1:] if command else words)
            if inspect.iscoroutine(returned):
                import asyncio  # noqa: PLC0415 - slow to import

                returned = asyncio.run(returned)
        except Failure as failure:
            if failure.code in ("usage", "input_required"):
                failure.data.setdefault("hints", [f"{path} --help"])
            raise
        except OSError as error:
            raise Failure(_reason(error, session.knows_password)) from error
        except (Exception, SystemExit) as error:
            if session.verbosity and not session.knows_password:
                import traceback  # noqa: PLC0415

                traceback.print_exc()
            told = "" if session.knows_password else f": {error}"
            raise Failure(defect(error) + told, code="internal") from error
        return _reply(returned, session.withheld)

    def _help(self, path: str) -> str:
        root = self._root.help(path) if self._root else f"{self.about}\n\nUsage: {path} <COMMAND>\n"
        commands = table("Commands", [(name, it.about) for name, it in self._commands.items()])
        return root + (f"\n{commands}\n" if commands else "")


def _reason(error: OSError, knows_password: bool) -> str:
    """Returns the system's error message. A library's message could contain a password, and the URL in `HTTPError.filename` a key."""
    reason = error.strerror or ""
    if knows_password:
        return reason.lower() if reason in map(os.strerror, errorcode) else f"`{type(error).__name__}`"
    if error.filename and "://" not in str(error.filename):
        return f"`{error.filename}`: {reason.lower()}"
    return reason or str(error)


def _reply(returned: Any, withheld: str) -> Json:
    if not isinstance(returned, Reply):
        returned = Reply(returned) if isinstance(returned, str) else Reply(data={} if returned is None else returned)
    text = withheld + returned.text
    text += "\n" if text and not text.endswith("\n") else ""
    data = text.rstrip("\n") if returned.data is None else returned.data
    return {"text": text, "data": data, **given(exit=returned.exit or None, next=list(returned.next))}
