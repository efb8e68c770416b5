"""A library for plugins of `bot-cli`: commands, secrets backends and provider packs.

`testing` runs a plugin and answers its questions. The library needs Python 3.10 on Linux or macOS, and nothing else.
"""

from .command import Arg
from .failure import CANCELLED, FAILED, NOT_ALLOWED, UNAVAILABLE, UNKNOWN, USAGE, Cancelled, Failure
from .pack import Pack
from .plugin import Plugin, Reply
from .secrets import Backend, Change, Conflict, Opened, PullSecret, Refusal, Secret, Stored
from .session import Question, Session

__version__ = "0.1.0"
__all__ = [
    "CANCELLED",
    "FAILED",
    "NOT_ALLOWED",
    "UNAVAILABLE",
    "UNKNOWN",
    "USAGE",
    "Arg",
    "Backend",
    "Cancelled",
    "Change",
    "Conflict",
    "Failure",
    "Opened",
    "Pack",
    "Plugin",
    "PullSecret",
    "Question",
    "Refusal",
    "Reply",
    "Secret",
    "Session",
    "Stored",
]
