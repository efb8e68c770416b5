"""A voice bot.

Speech-to-speech: Gemini Live
Transport: Daily (WebRTC)

Run it with `uv run bot.py`. Its settings come from `.env`; `.env.example` says what each is for.
"""

import os
import sys
import wave
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from dotenv import load_dotenv
from loguru import logger
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.frames.frames import LLMRunFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    AssistantTurnStoppedMessage,
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
    UserTurnMessageAddedMessage,
)
from pipecat.processors.audio.audio_buffer_processor import AudioBufferProcessor
from pipecat.runner.types import RunnerArguments
from pipecat.runner.utils import create_transport
from pipecat.services.google.gemini_live.llm import GeminiLiveLLMService
from pipecat.transports.base_transport import BaseTransport, TransportParams
from pipecat.transports.daily.transport import DailyParams
from pipecat.utils.types import NOT_GIVEN
from pipecat.workers.runner import WorkerRunner

load_dotenv(override=True)

SYSTEM_PROMPT = (
    "You are a friendly, helpful assistant in a spoken conversation. "
    "Everything you write is read aloud, so answer in one to three short sentences of plain words, "
    "without lists, markup or emoji. When you do not know something, say so."
)
GREETING = "Greet the user in one short sentence and ask what you can do for them."

RECORDINGS = Path("recordings")
RECORDING_SAMPLE_RATE = 24_000
RECORDING_CHUNK_BYTES = 5 * RECORDING_SAMPLE_RATE * 2  # five seconds of 16-bit audio

_HINT = "\nhint: copy .env.example to .env and fill it in; a deployed bot reads its secret set"
_problems: list[str] = []


def required(name: str) -> str:
    """Return an environment variable that the bot can't do without."""
    text = os.getenv(name)
    if not text:
        _problems.append(f"{name} is not set")
    return text or ""


def check_settings() -> None:
    """End the program with one message that names every missing or unusable setting."""
    if _problems:
        sys.exit("\n  ".join(["error: the environment is not complete:", *_problems]) + _HINT)


GOOGLE_API_KEY = required("GOOGLE_API_KEY")
GOOGLE_MODEL = os.getenv("GOOGLE_MODEL") or NOT_GIVEN
GOOGLE_VOICE_ID = os.getenv("GOOGLE_VOICE_ID") or NOT_GIVEN


# How to set up each transport, by the name that the runner's `-t` option takes.
TRANSPORT_PARAMS: dict[str, Callable[[], TransportParams]] = {
    "daily": lambda: DailyParams(
        audio_in_enabled=True,
        audio_out_enabled=True,
    ),
}


def create_llm() -> GeminiLiveLLMService:
    """Hear, think and speak with Gemini Live."""
    return GeminiLiveLLMService(
        api_key=GOOGLE_API_KEY,
        settings=GeminiLiveLLMService.Settings(
            model=GOOGLE_MODEL,
            voice=GOOGLE_VOICE_ID,
            system_instruction=SYSTEM_PROMPT,
        ),
    )


class Recording:
    """A WAV file that grows while the conversation lasts: user on the left, bot on the right."""

    def __init__(self, session_id: str | None):
        started = datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
        self.path = RECORDINGS / f"{started}_{session_id or 'session'}.wav"
        self._file: wave.Wave_write | None = None

    def write(self, audio: bytes, sample_rate: int, num_channels: int) -> None:
        """Append 16-bit audio; the file is made with the first of it."""
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = wave.open(str(self.path), "wb")
            self._file.setnchannels(num_channels)
            self._file.setsampwidth(2)
            self._file.setframerate(sample_rate)
        self._file.writeframes(audio)

    def close(self) -> None:
        """Finish the file."""
        if self._file is not None:
            self._file.close()
            logger.info(f"Recording saved to {self.path}")


async def run_bot(transport: BaseTransport, runner_args: RunnerArguments) -> None:
    """Hold one conversation, from the first word until the user has gone."""
    llm = create_llm()

    context = LLMContext()
    user_aggregator, assistant_aggregator = LLMContextAggregatorPair(
        context,
        user_params=LLMUserAggregatorParams(vad_analyzer=SileroVADAnalyzer()),
    )
    recorder = AudioBufferProcessor(
        sample_rate=RECORDING_SAMPLE_RATE,
        num_channels=2,
        buffer_size=RECORDING_CHUNK_BYTES,
        auto_start_recording=True,
    )
    recording = Recording(runner_args.session_id)

    pipeline = Pipeline(
        [
            transport.input(),
            user_aggregator,
            llm,
            transport.output(),
            recorder,
            assistant_aggregator,
        ]
    )
    worker = PipelineWorker(
        pipeline,
        params=PipelineParams(enable_metrics=True, enable_usage_metrics=True),
        idle_timeout_secs=runner_args.pipeline_idle_timeout_secs,
    )
    runner = WorkerRunner(
        handle_sigint=runner_args.handle_sigint,
        handle_sigterm=runner_args.handle_sigterm,
    )
    await runner.add_workers(worker)

    @worker.rtvi.event_handler("on_client_ready")
    async def on_client_ready(rtvi):
        context.add_message({"role": "developer", "content": GREETING})
        await worker.queue_frames([LLMRunFrame()])

    @transport.event_handler("on_client_connected")
    async def on_client_connected(transport, client):
        logger.info("The user has connected")

    @transport.event_handler("on_client_disconnected")
    async def on_client_disconnected(transport, client):
        logger.info("The user has gone")
        await runner.cancel()

    @user_aggregator.event_handler("on_user_turn_message_added")
    async def on_user_turn_message_added(aggregator, message: UserTurnMessageAddedMessage):
        logger.info(f"Transcript: [{message.timestamp}] user: {message.content}")

    @assistant_aggregator.event_handler("on_assistant_turn_stopped")
    async def on_assistant_turn_stopped(aggregator, message: AssistantTurnStoppedMessage):
        logger.info(f"Transcript: [{message.timestamp}] bot: {message.content}")

    @recorder.event_handler("on_audio_data")
    async def on_audio_data(processor, audio: bytes, sample_rate: int, num_channels: int):
        recording.write(audio, sample_rate, num_channels)

    try:
        await runner.run()
    finally:
        recording.close()


async def bot(runner_args: RunnerArguments) -> None:
    """Serve one session; the runner calls this for everyone who connects."""
    check_settings()
    transport = await create_transport(runner_args, TRANSPORT_PARAMS)
    await run_bot(transport, runner_args)


if __name__ == "__main__":
    check_settings()

    from pipecat.runner.run import main

    main()
