"""Gets the models that run on this machine, before anybody talks to the bot."""

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from loguru import logger
from openai import APIStatusError, OpenAI

from services import OLLAMA_BASE_URL, OLLAMA_MODEL, create_stt, create_tts


def load_models() -> None:
    """Load each model once; the first time, this downloads it."""
    if {"-h", "--help"} & set(sys.argv):
        return
    load(
        "Whisper (local)",
        create_stt,
        "its model, about 800 MB",
        ".cache/huggingface",
    )
    load(
        "Kokoro (local)",
        create_tts,
        "its model and voices, 340 MB",
        ".cache/pipecat/kokoro-onnx",
    )
    ask("Ollama (local)", OLLAMA_BASE_URL, OLLAMA_MODEL)


def load(label: str, create: Callable[[], Any], downloads: str, folder: str) -> None:
    """Construct a service, and say how far its download is."""
    logger.info(f"{label}: loading; the first time, it downloads {downloads}")
    loaded = threading.Event()
    before = size(folder)

    def report() -> None:
        while not loaded.wait(5):
            more = size(folder) - before
            state = f"{more / 1e6:.0f} MB more" if more > 0 else "still loading"
            logger.info(f"{label}: {state}")

    threading.Thread(target=report, daemon=True).start()
    try:
        create()
    except Exception as error:
        logger.warning(f"{label} can't be loaded: {error}")
    loaded.set()


def size(folder: str) -> int:
    """Return the size of the files in a folder of the user's, in bytes."""
    total = 0
    for file in Path.home().joinpath(folder).rglob("*"):
        with suppress(OSError):  # A download renames its files.
            total += file.lstat().st_size
    return total


def ask(label: str, base_url: str, model: str) -> None:
    """Have the server of a language model load it."""
    logger.info(f"{label}: loading {model}")
    try:
        client = OpenAI(base_url=base_url, api_key="none", max_retries=0, timeout=120)
        client.chat.completions.create(
            model=model, max_tokens=1, messages=[{"role": "user", "content": "Hello"}]
        )
    except APIStatusError as error:
        hint = f"`ollama pull {model}` gets it; or OLLAMA_BASE_URL is wrong"
        logger.warning(f"{label} can't use {model} (status {error.status_code}): {hint}")
    except Exception as error:
        hint = "is it started, and OLLAMA_BASE_URL right? https://ollama.com"
        logger.warning(f"{label} does not answer ({type(error).__name__}): {hint}")
