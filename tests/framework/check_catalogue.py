#!/usr/bin/env python3
"""Checks the catalogue of services and transports against the framework that is installed beside this interpreter.

Every class is imported and constructed with dummy values, once with all variables set and once with the required ones
only; every argument, setting, extra, default and import that the TOML files name has to exist there. Nothing is sent
anywhere. What the framework has and the catalogue lacks has its reason in `left_out.toml`, and what a class reads by
itself is asked for. One line a problem, exit 1 if there is any.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import importlib
import inspect
import os
import re
import socket
import sys
import tempfile
import tomllib
import typing
import warnings
from pathlib import Path

import aiohttp
from loguru import logger

import catalogue_build as build
import catalogue_extras as extras
import catalogue_hollow as hollow
import catalogue_left_out as left_out
import catalogue_reads as reads

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
TYPES = {"str": str, "int": int, "float": float, "choice": str, "list": list}


class Report:
    """Problems and counts."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.checked = 0
        self.constructed = 0
        self.downloads: list[str] = []
        self.missing: list[str] = []

    def problem(self, name: str, text: str) -> None:
        line = f"{name}: {text}"
        if line not in self.problems:
            self.problems.append(line)


class NoNetwork(OSError):
    """What a connection attempt of a constructor meets."""


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--may-miss",
        default="",
        metavar="EXTRA,…",
        help="extras that need not be installed, whose libraries are hollow then; `all` for any",
    )
    given = options.parse_args()
    may_miss = set(filter(None, given.may_miss.split(",")))
    report = Report()
    quiet()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(check(may_miss, Path(folder), report))
    report.problems += left_out.problems(services())
    for line in report.problems:
        print(line)
    if report.missing:
        print(
            f"not importable (extra not installed, or a newer Python needed): {', '.join(report.missing)}",
            file=sys.stderr,
        )
    if report.downloads:
        print(f"constructed up to the download of a model: {', '.join(report.downloads)}", file=sys.stderr)
    print(
        f"{report.checked} classes checked, {report.constructed} constructed, "
        f"{len(report.missing)} not importable, {len(report.problems)} problems"
    )
    return 1 if report.problems else 0


def quiet() -> None:
    """No log lines, no network, no variables of the caller's."""
    logger.remove()
    for name in list(os.environ):
        if name.startswith(("AWS_", "AZURE_", "GOOGLE_", "OPENAI_")) or name.endswith(("_API_KEY", "_KEY")):
            del os.environ[name]

    def refuse(*_args: object, **_keywords: object) -> typing.NoReturn:
        raise NoNetwork("constructors must not use the network")

    socket.socket.connect = refuse
    socket.getaddrinfo = refuse


def services() -> list[dict]:
    return [
        service
        for path in sorted((TEMPLATES / "providers").glob("*.toml"))
        for service in tomllib.loads(path.read_text())["service"]
    ]


async def check(may_miss: set[str], folder: Path, report: Report) -> None:
    os.environ["HOME"] = str(folder)
    os.environ["HF_HOME"] = str(folder)
    async with aiohttp.ClientSession() as session:
        try:
            credentials = build.write_google_credentials(folder)
        except ImportError:
            credentials = ""
        os.environ["GOOGLE_APPLICATION_CREDENTIALS"] = credentials
        bench = build.Bench(session, credentials)
        for service in services():
            check_entry(service, may_miss, bench, report)
        for path in sorted((TEMPLATES / "transports").glob("*.toml")):
            transport = tomllib.loads(path.read_text())
            check_entry(transport, may_miss, bench, report)
            check_variables(transport, report)


def check_entry(entry: dict, may_miss: set[str], bench: build.Bench, report: Report) -> None:
    """A service or the parameter class of a transport."""
    name = entry["id"]
    wanted = entry.get("extras", [])
    unknown = set(wanted) - extras.provided()
    if unknown:
        report.problem(name, f"the framework has no extra {', '.join(sorted(unknown))}")
        return
    python = extras.oldest_python(wanted)
    if entry.get("requires_python") != python:
        report.problem(name, f"requires_python is {entry.get('requires_python')}, the extras say {python}")
    try:
        heavy = [name for extra in wanted if extra in may_miss for name in hollow.HEAVY.get(extra, [])]
        with hollow.libraries(heavy):
            cls = getattr(importlib.import_module(entry["module"]), entry["class"])
        scope = build.scope_of(entry)
    except AttributeError as error:
        report.problem(name, f"{error}")
        return
    except Exception as error:
        too_old = python is not None and sys.version_info[:2] < tuple(map(int, python.split(".")))
        if too_old or "all" in may_miss or may_miss & set(wanted):
            report.missing.append(name)
        else:
            report.problem(name, f"does not import: {error}")
        return
    report.checked += 1
    check_arguments(entry, name, cls, scope, report)
    if "kind" in entry:
        check_deprecation(entry, name, cls, report)
        check_pictures(entry, name, cls, report)
        check_service(entry, name, cls, scope, bench, report)
        check_languages(entry, name, cls, bench, scope, report)
        for text in reads.problems(entry):
            report.problem(name, text)
    else:
        cls(**build.keywords(entry, scope, bench, True)[0])
        report.constructed += 1


def check_arguments(entry: dict, name: str, cls: type, scope: dict, report: Report) -> None:
    """Each argument exists, its type fits, and none is missing."""
    accepted = build.parameters(cls)
    settings = build.parameters(cls.Settings) if hasattr(cls, "Settings") else {}
    given = set()
    for arg in entry.get("args", []):
        field = arg["name"].removeprefix("settings.")
        if field != arg["name"]:
            check_argument(arg, field, settings, f"{name} settings", scope, report)
        else:
            given.add(field)
            check_argument(arg, field, accepted, name, scope, report)
    for missing in [key for key, (_, needed) in accepted.items() if needed and key not in given]:
        report.problem(name, f"the class requires `{missing}`")
    holder, _, field = entry.get("prompt", "settings.model").rpartition(".")
    calls = {arg["name"]: arg.get("call") for arg in entry.get("args", [])}
    fields = settings if holder == "settings" else build.parameters(scope[calls[holder]])
    if hasattr(cls, "Settings") and field not in fields:
        report.problem(name, f"prompt: there is no `{field}` in `{holder}`")


def check_argument(arg: dict, field: str, known: dict, where: str, scope: dict, report: Report) -> None:
    if field not in known:
        report.problem(where, f"there is no argument `{field}`")
        return
    hint, needed = known[field]
    if "env" in arg:
        wanted = TYPES[arg.get("type", "str")]
        if not build.accepts(hint, wanted):
            report.problem(where, f"`{field}` is {hint}, not {wanted.__name__}")
        literals = build.literals(hint)
        if literals and sorted(literals) != sorted(arg.get("choices", [])):
            report.problem(where, f"`{field}` allows {literals}")
        may_be_none = arg.get("optional") and not where.endswith("settings")
        if may_be_none and (needed or not build.accepts(hint, type(None))):
            report.problem(where, f"`{field}` cannot be None, so it cannot be optional without a default")
    for inner in arg.get("args", []):
        check_argument(inner, inner["name"], build.parameters(scope[arg["call"]]), f"{where} {field}", scope, report)


def check_deprecation(entry: dict, name: str, cls: type, report: Report) -> None:
    """A class is marked as deprecated here if and only if it is there."""
    there = bool(getattr(cls, "__deprecated__", None))
    if there != ("deprecated" in entry):
        report.problem(name, "deprecated in the framework" if there else "not deprecated in the framework")


def check_pictures(entry: dict, name: str, cls: type, report: Report) -> None:
    """A speech-to-speech service is said to see if and only if its class handles the frames of a camera."""
    if entry["kind"] != "realtime":
        return
    code = "".join(inspect.getsource(base) for base in cls.__mro__ if base.__module__.startswith("pipecat.services."))
    if entry.get("pictures", False) != ("InputImageRawFrame" in code):
        report.problem(name, "`pictures` is not as in the framework")


def check_service(entry: dict, name: str, cls: type, scope: dict, bench: build.Bench, report: Report) -> None:
    """The class can be constructed as generated code does, and its own defaults stay in force."""
    direct, wished = build.keywords(entry, scope, bench, filled=True)
    bare = construct(entry, name, cls, direct, None, report)
    full = construct(entry, name, cls, direct, wished, report)
    direct, least_wished = build.keywords(entry, scope, bench, filled=False)
    least = construct(entry, name, cls, direct, least_wished, report)
    if bare is None or full is None or least is None:
        return
    if all(made.finished for made in (full, least)):
        report.constructed += 1
    else:
        report.downloads.append(name)
    for arg in entry.get("args", []):
        field = arg["name"].removeprefix("settings.")
        if field != arg["name"] and "env" in arg:
            check_default(arg, field, bare.settings, least.settings, name, report)
    if entry.get("prompt") == "settings.system_instruction":
        for made in (full, least):
            if made.settings.get("system_instruction") != "Be brief.":
                report.problem(name, "the system prompt does not arrive in the settings")


def check_languages(entry: dict, name: str, cls: type, bench: build.Bench, scope: dict, report: Report) -> None:
    """The class uses the language that it is told, and knows each of those in the catalogue."""
    from pipecat.transcriptions.language import Language

    taken = [code for code in entry.get("languages", []) if code != "en"]
    field = entry.get("language_list", "language")
    code = "".join(inspect.getsource(base) for base in cls.__mro__ if base.__module__.count(".") > 2)
    if taken and not re.search(rf"\b(_?settings|s)\.{field}\b", code):
        report.problem(name, f"the class does not use `settings.{field}`")
    said: list[str] = []
    listener = logger.add(said.append, level="WARNING", filter=lambda record: "anguage" in record["message"])
    for language in taken:
        direct, wished = build.keywords(entry, scope, bench, filled=True)
        told = [Language(language)] if "language_list" in entry else language
        construct(entry, f"{name} in {language}", cls, direct, wished | {field: told}, report)
    logger.remove(listener)
    for line in said:
        report.problem(name, f"warns: {line.strip()}")


def check_default(arg: dict, field: str, bare: dict, least: dict, name: str, report: Report) -> None:
    own = bare.get(field)
    own = None if own is None else str(own)
    # A default of ours takes the place of one that serves a bot badly.
    if "default" not in arg and arg.get("class_default") != own:
        report.problem(name, f"class_default of `{field}` is {arg.get('class_default')!r}, the class says {own!r}")
    if "class_default" in arg and str(least.get(field)) != own:
        report.problem(name, f"`{field}` becomes {least.get(field)!r} while its variable is unset")


@dataclasses.dataclass
class Made:
    """The settings that a constructor arrived at, and whether it came to its end."""

    settings: dict
    finished: bool


def construct(entry: dict, name: str, cls: type, direct: dict, wished: dict | None, report: Report) -> Made | None:
    """Constructs the class; deprecated arguments and lost ones are problems."""
    from pipecat.services.ai_service import AIService

    seen: dict = {}
    original = AIService.__init__

    def remember(self: object, settings: object = None, **keywords: object) -> None:
        original(self, settings=settings, **keywords)
        seen.update(vars(settings) if settings is not None else {})

    AIService.__init__ = remember
    downloads = "downloads" in entry
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            extra = {} if wished is None else {"settings": cls.Settings(**wished)}
            cls(**direct, **extra)
        if wished is not None and "deprecated" not in entry:
            for warning in caught:
                if " is deprecated since " in str(warning.message):
                    report.problem(name, f"warns: {str(warning.message).splitlines()[0]}")
        return Made(seen, True)
    except Exception as error:
        no_settings = wished is None and isinstance(error, ValueError)
        # Without settings a class may refuse before it has any.
        if no_settings or (seen and downloads and offline(error)):
            return Made(seen, False)
        report.problem(name, f"cannot be constructed: {type(error).__name__}: {str(error).splitlines()[0]}")
        return None
    finally:
        AIService.__init__ = original


def offline(error: BaseException | None) -> bool:
    """Whether an error comes from the network that is not there, whatever wrapped it."""
    while error is not None:
        if isinstance(error, OSError) or "LocalEntryNotFound" in type(error).__name__:
            return True
        error = error.__cause__ or error.__context__
    return False


def check_variables(transport: dict, report: Report) -> None:
    """The runner or `calls.py` reads each variable of a transport by that name, and the runner has that key.

    What only a project's own web server reads is looked for in that server, where projects are checked.
    """
    import pipecat.runner

    source = "\n".join(path.read_text() for path in Path(pipecat.runner.__file__).parent.glob("*.py"))
    calls = (TEMPLATES / "project/server/calls.py.liquid").read_text()
    by_bot = variables_of(transport.get("avatar", {}))
    for variable in transport.get("env", []):
        if variable["name"] in by_bot or variable.get("reader") == "server":
            continue
        if f'"{variable["name"]}"' not in source + calls:
            report.problem(transport["id"], f"nothing reads {variable['name']}")
    if f'"{transport["runner_key"]}"' not in source:
        report.problem(transport["id"], f"the runner knows no `{transport['runner_key']}`")
    option = transport.get("run_option")
    if option and f'"{option}"' not in source:
        report.problem(transport["id"], f"the runner has no option `{option}`")


def variables_of(call: dict) -> set[str]:
    """The variables that the arguments of a call read."""
    args = call.get("args", [])
    return {arg["env"] for arg in args if "env" in arg} | {name for arg in args for name in variables_of(arg)}


if __name__ == "__main__":
    sys.exit(main())
