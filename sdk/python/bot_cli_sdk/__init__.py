"""A library for writing `bot-cli` plugins: commands, secrets backends and provider packs.

The module `testing` runs a plugin in tests and answers its questions. The library needs Python 3.10 on Linux or macOS, and no other packages.
"""

from .command import Arg as Arg, Reply as Reply
from .failure import CANCELLED as CANCELLED, FAILED as FAILED, NOT_ALLOWED as NOT_ALLOWED, UNAVAILABLE as UNAVAILABLE
from .failure import UNKNOWN as UNKNOWN, USAGE as USAGE, Cancelled as Cancelled, Failure as Failure
from .pack import Pack as Pack
from .plugin import Plugin as Plugin
from .secrets import Backend as Backend, Change as Change, Conflict as Conflict, Opened as Opened, PullSecret as PullSecret
from .secrets import Refusal as Refusal, Secret as Secret, Stored as Stored
from .session import Question as Question, Session as Session, project as project

__version__ = "0.1.0"
