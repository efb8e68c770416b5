"""The environment variables: how they are read, and what is wrong with them."""

import os
import sys
from typing import Any

from dotenv import load_dotenv

load_dotenv()

_HINT = """
hint: in a file: fill in .env, which starts as a copy of .env.example
hint: in the vault: `bot-cli cloud secrets set --backend local --from-template .env.example`,
  then `bot-cli dev`
hint: where it is deployed: in its secret set"""
# What is wrong with them.
problems: list[str] = []


def required(name: str) -> str:
    """Return a required environment variable."""
    text = os.getenv(name)
    if not text:
        problems.append(f"{name} is not set")
    return text or ""


def optional(name: str, default: Any) -> Any:
    """Return an environment variable, or `default` if it is unset or empty."""
    return os.getenv(name) or default


def check_settings() -> None:
    """Exit with a message that names every missing or invalid setting."""
    if problems:
        sys.exit("\n  ".join(["error: the environment is not complete:", *problems]) + _HINT)


def run_locally() -> None:
    """Serve the bot on this machine with the framework's runner."""
    environment = dict(os.environ)
    from pipecat.runner.run import main

    # That import reads `.env` once more, over the environment.
    os.environ.update(environment, ENV="local")
    main()
