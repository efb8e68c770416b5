"""Loads the models that run on this machine, so that nobody waits for them in a conversation."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from loguru import logger

from services import OLLAMA_BASE_URL, OLLAMA_MODEL, create_stt, create_tts


def load_models() -> None:
    """Load each model once; the first time, this downloads it."""
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
            logger.info(f"{label}: {(size(folder) - before) / 1e6:.0f} MB more in ~/{folder}")

    threading.Thread(target=report, daemon=True).start()
    try:
        create()
    except Exception as error:
        logger.warning(f"{label} can't be loaded: {error}")
    loaded.set()


def size(folder: str) -> int:
    """Return the size of the files in a folder of the user's, in bytes."""
    files = Path.home().joinpath(folder).rglob("*")
    return sum(file.lstat().st_size for file in files if file.is_file())


def ask(label: str, base_url: str, model: str) -> None:
    """Have the server of a language model load it."""
    logger.info(f"{label}: loading {model}")
    question = {"model": model, "max_tokens": 1, "messages": [{"role": "user", "content": "Hello"}]}
    url, headers = f"{base_url}/chat/completions", {"Content-Type": "application/json"}
    try:
        with urlopen(Request(url, json.dumps(question).encode(), headers), timeout=120):
            pass
    except HTTPError as error:
        if error.code == 404:
            logger.warning(f"{label} has no {model}; to get it: ollama pull {model}")
        else:
            logger.warning(f"{label} can't use {model}: {error}")
    except (OSError, ValueError) as error:
        hint = "start it, or install it from https://ollama.com"
        logger.warning(f"{label} does not answer at {base_url} ({error}): {hint}")
