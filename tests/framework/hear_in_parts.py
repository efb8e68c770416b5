"""Runs a bot whose speech-to-text first says half of what it heard: `hear_in_parts.py bot.py OPTIONS…`.

Services that listen while the user speaks do so; the stand-in is asked only afterwards. The bot itself is untouched.
"""

import runpy
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

from pipecat.frames.frames import Frame, InterimTranscriptionFrame, TranscriptionFrame
from pipecat.services.openai.stt import OpenAISTTService

whole = OpenAISTTService.run_stt


async def in_parts(self: OpenAISTTService, audio: bytes) -> AsyncGenerator[Frame | None, None]:
    async for frame in whole(self, audio):
        if isinstance(frame, TranscriptionFrame):
            words = frame.text.split()
            half = " ".join(words[: len(words) // 2])
            yield InterimTranscriptionFrame(half, frame.user_id, frame.timestamp, frame.language)
        yield frame


OpenAISTTService.run_stt = in_parts
sys.argv = sys.argv[1:]
sys.path.insert(0, str(Path(sys.argv[0]).parent.resolve()))
runpy.run_path(sys.argv[0], run_name="__main__")
