#!/usr/bin/env python3
"""`bot-cli @NAME@`. After a change, `./plugin.py --build` writes the executable `bot-cli-@NAME@`, which is all that users need."""

from typing import Annotated, Literal

from bot_cli_sdk import Arg, Plugin, Reply, Session

plugin = Plugin("@NAME@", version="0.1.0")


def known(_word: str) -> list[str]:
    return ["world", "moon"]


@plugin.root
def greet(
    session: Session,
    who: Annotated[str, Arg(ask="Who is greeted", complete=known)],
    *,
    language: Literal["en", "de"] = "en",
) -> Reply:
    """Greets somebody

    who: Who is greeted
    language: In which language
    """
    session.progress(f"Greeting {who}")
    greeting = {"en": "Hello", "de": "Hallo"}[language]
    return Reply(f"{greeting}, {who}.", {"who": who, "language": language})


if __name__ == "__main__":
    plugin.main()
