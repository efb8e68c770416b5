"""How a command fails."""

import os
from collections.abc import Sequence
from typing import Any, cast

FAILED, USAGE, UNKNOWN, NOT_ALLOWED, UNAVAILABLE, CANCELLED = 1, 2, 3, 4, 7, 130
"""Exit statuses: it ran and failed; it can't succeed as written; it may or may not have been done; …"""

Json = dict[str, Any]


class ErrorReply(Exception):
    """An error that is the reply to a request, or to a line that the protocol does not allow."""

    def __init__(self, exit: int, message: str, **data: Any) -> None:
        super().__init__(message)
        self.exit, self.message, self.data = exit, message, data

    def error(self) -> Json:
        """Returns the member `error` of a reply."""
        return {"code": self.exit, "message": self.message, "data": self.data}


class Failure(ErrorReply):
    """Ends the command with a message for people and a code for programs.

    The message is lower case, without a full stop, with literals in backticks. `code` is the precise cause in `snake_case`, `exit` the exit status,
    each hint a sentence or a command that can be pasted. `data` has further fields of the protocol, such as `outcome`.
    """

    def __init__(self, message: str, *, code: str = "failed", exit: int = FAILED, hints: Sequence[str] = (), **data: Any) -> None:
        super().__init__(exit, message, **given(code=code, hints=list(hints)), **data)
        self.code = code


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


def given(**members: Any) -> Json:
    """Returns the members that have a value."""
    return {name: value for name, value in members.items() if value is not None and value != []}


def members(value: Any) -> Json:
    """Returns an object as it is, and anything else as an empty one."""
    return cast("Json", value) if isinstance(value, dict) else {}
