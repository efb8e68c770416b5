"""Command failures and exit statuses."""

import os
from collections.abc import Sequence
from typing import Any, cast

FAILED, USAGE, UNKNOWN, NOT_ALLOWED, UNAVAILABLE, CANCELLED = 1, 2, 3, 4, 7, 130
"""Exit statuses: the command failed; invalid usage; unknown outcome; not signed in or not allowed; unavailable; cancelled."""

Json = dict[str, Any]


class ErrorReply(Exception):
    """An error reply to a request or an invalid line."""

    def __init__(self, exit: int, message: str, **data: Any) -> None:
        super().__init__(message)
        self.exit, self.message, self.data = exit, message, data

    def error(self) -> Json:
        """Returns the `error` member of the reply."""
        return {"code": self.exit, "message": self.message, "data": self.data}


class Failure(ErrorReply):
    """Ends the command with a message for the user and a code for programs.

    Write the message in lower case, without a full stop, with literals in backticks. `code` identifies the cause in `snake_case`; `exit` is the exit
    status. Each hint is a sentence or a command to paste. `data` sets other protocol fields, such as `outcome`.
    """

    def __init__(self, message: str, *, code: str = "failed", exit: int = FAILED, hints: Sequence[str] = (), **data: Any) -> None:
        super().__init__(exit, message, **given(code=code, hints=list(hints)), **data)
        self.code = code


class Cancelled(BaseException):
    """Raised in a running command when the user cancels it.

    Like `KeyboardInterrupt`, it can be raised at any point. Clean up with `finally` and `with`; the process ends within 0.8 s.
    """


def defect(error: BaseException) -> str:
    """Describes an error by its type and line in the author's code, without its message, which may contain a secret."""
    import traceback  # noqa: PLC0415

    own = (os.path.dirname(__file__), os.path.dirname(os.__file__), "<")
    places = [it for it in traceback.extract_tb(error.__traceback__) if not it.filename.startswith(own)]
    place = f" at {os.path.basename(places[-1].filename)}:{places[-1].lineno}" if places else ""
    return f"internal error: `{type(error).__name__}`{place}"


def given(**members: Any) -> Json:
    """Returns the members that are neither `None` nor an empty list."""
    return {name: value for name, value in members.items() if value is not None and value != []}


def members(value: Any) -> Json:
    """Returns the value if it is an object, and an empty object otherwise."""
    return cast("Json", value) if isinstance(value, dict) else {}
