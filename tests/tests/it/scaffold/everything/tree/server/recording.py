"""Recordings of the sessions."""

import wave
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from loguru import logger
from pipecat.processors.audio.audio_buffer_processor import AudioBufferProcessor

RECORDINGS = Path("recordings")
SAMPLE_RATE = 24_000
CHUNK_BYTES = 5 * SAMPLE_RATE * 2  # five seconds of 16-bit audio


class Recorder(AudioBufferProcessor):
    """Writes a session to a WAV file as it happens: user on the left, bot on the right."""

    def __init__(self, session_id: str | None):
        super().__init__(
            sample_rate=SAMPLE_RATE,
            num_channels=2,
            buffer_size=CHUNK_BYTES,
            auto_start_recording=True,
        )
        started = datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
        self.path = RECORDINGS / f"{started}_{session_id or 'session'}.wav"
        self._file: BinaryIO | None = None
        self._wave: wave.Wave_write | None = None

        @self.event_handler("on_audio_data")
        async def on_audio_data(recorder, audio: bytes, sample_rate: int, num_channels: int):
            self.write(audio, sample_rate, num_channels)

    def write(self, audio: bytes, sample_rate: int, num_channels: int) -> None:
        """Append 16-bit audio. The first chunk creates the file."""
        if self._file is None or self._wave is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("wb")
            self._wave = wave.open(self._file, "wb")
            self._wave.setnchannels(num_channels)
            self._wave.setsampwidth(2)
            self._wave.setframerate(sample_rate)
        self._wave.writeframes(audio)
        # The file is complete up to here, however the bot ends.
        self._file.flush()

    async def cleanup(self) -> None:
        """Finish the file; the framework calls this at the end of the session."""
        await super().cleanup()
        if self._file is None or self._wave is None:
            return
        self._wave.close()
        self._file.close()
        self._file = self._wave = None
        logger.info(f"Recording saved to {self.path}")
