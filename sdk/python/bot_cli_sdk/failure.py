"""How a command fails."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

FAILED, USAGE, UNKNOWN, NOT_ALLOWED, UNAVAILABLE, CANCELLED = 1, 2, 3, 4, 7, 130
"""Exit statuses: it ran and failed; it can't succeed as written; it may or may not have been done; …"""


class Failure(Exception):
    """Ends the command with a message for people and a code for programs.

    The message is lower case, without a full stop, with literals in backticks. `code` is the precise cause in `snake_case`, `exit` the exit status,
    each hint a sentence or a command that can be pasted. `data` has further fields of the protocol, such as `outcome`.
    """

    def __init__(self, message: str, *, code: str = "failed", exit: int = FAILED, hints: Sequence[str] = (), **data: Any) -> None:
        super().__init__(message)
        self.message, self.code, self.exit = message, code, exit
        self.data: dict[str, Any] = {"code": code, **({"hints": list(hints)} if hints else {}), **data}

    def error(self) -> dict[str, Any]:
        """Returns the member `error` of a reply."""
        return {"code": self.exit, "message": self.message, "data": self.data}


class Refused(Exception):
    """A line or a request that the protocol does not allow."""

    def __init__(self, number: int, message: str, **data: Any) -> None:
        super().__init__(message)
        self.number, self.message, self.data = number, message, data

    def error(self) -> dict[str, Any]:
        return {"code": self.number, "message": self.message, "data": self.data}


class Cancelled(BaseException):
    """Raised in the middle of a command that nobody wants any more.

    It comes out of whatever the command is doing, like `KeyboardInterrupt`. `finally` and `with` tidy up; after 0.8 s the process ends anyway.
    """


def defect(error: BaseException) -> str:
    """Returns the type of an error and its place in the author's code. The words of the error may have a value in them."""
    import traceback  # noqa: PLC0415

    own = (os.path.dirname(__file__), os.path.dirname(os.__file__), "<")
    places = [it for it in traceback.extract_tb(error.__traceback__) if not it.filename.startswith(own)]
    place = f" at {os.path.basename(places[-1].filename)}:{places[-1].lineno}" if places else ""
    return f"internal error: `{type(error).__name__}`{place}"


def cancelled(status: int = CANCELLED) -> Failure:
    return Failure("cancelled", code="cancelled", exit=status)
