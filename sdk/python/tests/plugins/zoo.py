#!/usr/bin/env python3
"""The plugin that the tests run."""

import asyncio
import contextlib
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict
from urllib.error import HTTPError

from bot_cli_sdk import NOT_ALLOWED, Arg, Cancelled, Failure, Plugin, Question, Reply, Session

plugin = Plugin("zoo", version="1.2.3", about="Keeps animals")


@dataclass
class Animal:
    name: str
    legs: int


def short(name: str) -> str | None:
    return "must be short" if len(name) > 10 else None


@plugin.command
def add(
    session: Session,
    name: Annotated[str, Arg(ask="Name", check=short)],
    foods: list[str] | None = None,
    *,
    kind: Annotated[Literal["cat", "bird"], Arg(ask="Kind", short="k")] = "cat",
    legs: Annotated[int, Arg("How many legs", short="n")] = 4,
    loud: Annotated[bool, Arg(short="l")] = False,
    tame: bool = True,
    file: Annotated[Path, Arg(complete="file")] = Path("zoo.txt"),
    token: Annotated[str, Arg(ask="Token", password=True)] = "",
) -> Reply:
    """Adds an animal.

    Only for a while.
    Then it leaves.

    name: What it is called
    foods: What it eats
    """
    session.progress("Feeding", 1, 2)
    session.log("it bites", "warn")
    session.output("fed\n")
    values = {"name": name, "foods": foods, "kind": kind, "legs": legs, "loud": loud, "tame": tame, "file": file}
    return Reply(f"Added {name}", {**values, "token": len(token)}, next=["bot-cli zoo show"])


class Echoed(TypedDict):
    words: list[str]
    quick: bool
    note: Literal["", "-v"]
    chip: Path | None
    json: bool
    verbosity: int
    quiet: bool


@plugin.command
def echo(
    session: Session,
    words: list[str] | None = None,
    *,
    quick: Annotated[bool, Arg(short="q")] = False,
    note: Literal["", "-v"] = "",
    chip: Path | None = None,
    tag: Annotated[Path, Arg(complete="none")] = Path(),
) -> Annotated[Reply, Echoed]:
    """Returns what it is given"""
    session.progress("Echoing", 1, 2)
    for level in ("warn", "note", "info", "debug"):
        session.log(level, level, {"level": level})
    session.output("part\n", {"part": 1})
    data = Echoed(words=words or [], quick=quick, note=note, chip=chip, json=session.json, verbosity=session.verbosity, quiet=session.quiet)
    return Reply("echoed", data, exit=5)


@plugin.command
def locate(session: Session) -> dict[str, Any]:
    """Returns the description of the project"""
    return session.project()


@plugin.command
def show(session: Session) -> list[Animal]:
    """Shows all"""
    return [Animal("ada", 4)]


@plugin.command
def choose(session: Session) -> dict[str, object]:
    """Asks in a row"""
    return session.ask_all(
        [
            Question("first", "First", default="1"),
            lambda found: Question("second", f"After {found['first']}", "confirm") if found["first"] != "skip" else None,
            Question("third", "Third", "multiselect", [("a", "A"), ("b", "B")]),
        ]
    )


@plugin.command
def unlock(token: Annotated[str, Arg(ask="Token", password=True)]) -> int:
    """Asks for a password"""
    return len(token)


@plugin.command
async def soon() -> str:
    """Waits without blocking"""
    await asyncio.sleep(0.01)
    print("this goes to standard error")
    subprocess.run(["echo", "and so does this"], check=True)
    return "soon"


def ring(number: int, frame: object) -> None:
    pass


@plugin.command
def timer() -> str:
    """Sets a timer, whose signal is its own"""
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    time.sleep(1.2)
    return "rang"


def compute() -> None:
    # A separate function, because Python 3.13 leaves the backward jump of a loop outside the surrounding `try`.
    while True:
        sum(range(1000))


@plugin.command
def work(session: Session, how: Literal["sleep", "compute", "child", "stubborn", "finish", "loop", "ask"], left: Path) -> None:
    """Works for a minute, and writes how it ended"""
    left.write_text("began")
    try:
        session.progress("working")
        if how == "finish":
            with session.finish():
                time.sleep(1.5)
                left.write_text("finished")
        if how == "compute":
            compute()
        while how == "stubborn":
            with contextlib.suppress(BaseException):
                while True:
                    sum(range(1000))
        if how == "child":
            subprocess.Popen(["sleep", "61"])
        if how == "loop":
            asyncio.run(asyncio.sleep(60))
        if how == "ask":
            session.text("name", "Name")
        time.sleep(60)
    except Cancelled:
        left.write_text(left.read_text() + ", tidied up")
        raise


@plugin.command
def fail(how: str, session: Session) -> str:
    """Fails"""
    if how == "typed":
        raise Failure("not signed in", code="not_signed_in", exit=NOT_ALLOWED, hints=["zoo login"], outcome="not_done")
    if how == "no JSON":
        raise Failure("too warm", degrees=float("nan"))
    if how == "file":
        open("/no/such/file")  # noqa: SIM115
    if how == "password":
        raise ValueError(session.password("token", "Token"))
    if how == "secret text":
        raise ConnectionError(f"no answer from https://localhost/{session.password('token', 'Token')}")
    if how == "secret URL":
        raise HTTPError(f"https://localhost/{session.password('token', 'Token')}", 401, "Unauthorized", Message(), None)
    if how == "URL":
        raise HTTPError("https://localhost/canary", 401, "Unauthorized", Message(), None)
    if how == "secret file":
        open(f"/no/{session.password('token', 'Token')}")  # noqa: SIM115
    if how == "not text":
        return "a\udcffb\ud800"
    if how == "long":
        return "x" * (9 * 1024 * 1024)
    if how == "exit":
        sys.exit(3)
    raise ValueError("unexpected")


if __name__ == "__main__":
    plugin.main()
