"""A voice and video bot.

Speech-to-text: Deepgram
Language model: OpenAI
Text-to-speech: Cartesia
Transport: SmallWebRTC (peer to peer)
Transport: Daily (WebRTC)
Transport: LiveKit (WebRTC)
Transport: WebSocket

Run it with `uv run bot.py`. Its settings come from `.env`; `.env.example` says what each is for.
"""

import os
import socket
import sys
import wave
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from dotenv import load_dotenv
from fastapi import WebSocket
from loguru import logger
from pipecat.audio.filters.base_audio_filter import BaseAudioFilter
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.evals.transport import EvalTransportParams
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
from pipecat.runner.types import RunnerArguments, WebSocketRunnerArguments
from pipecat.runner.utils import create_transport
from pipecat.serializers.protobuf import ProtobufFrameSerializer
from pipecat.services.cartesia.tts import CartesiaTTSService
from pipecat.services.deepgram.stt import DeepgramSTTService
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.transports.base_transport import BaseTransport, TransportParams, VideoInSourceParams
from pipecat.transports.daily.transport import DailyParams
from pipecat.transports.livekit.transport import LiveKitParams
from pipecat.transports.websocket.fastapi import FastAPIWebsocketParams
from pipecat.utils.types import NOT_GIVEN
from pipecat.workers.runner import WorkerRunner
from pipecat_whisker import WhiskerServer
from starlette.types import Message
from starlette.websockets import WebSocketState

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

# The ports at which sessions on this machine can be watched now.
WATCHED: set[int] = set()

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


DEEPGRAM_API_KEY = required("DEEPGRAM_API_KEY")
OPENAI_API_KEY = required("OPENAI_API_KEY")
OPENAI_BASE_URL = os.getenv("OPENAI_BASE_URL") or None
OPENAI_MODEL = os.getenv("OPENAI_MODEL") or NOT_GIVEN
CARTESIA_API_KEY = required("CARTESIA_API_KEY")
CARTESIA_VOICE_ID = os.getenv("CARTESIA_VOICE_ID") or "86e30c1d-714b-4074-a1f2-1cb6b552fb49"


def is_local() -> bool:
    """Return whether the bot runs on a developer's machine: the runner says so there."""
    return os.getenv("ENV") == "local"


def port_to_watch() -> int | None:
    """Take a port for the live view of one session, from 9090 on; None: there is none left."""
    for port in range(9090, 9100):
        if port in WATCHED:
            continue
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        WATCHED.add(port)
        return port
    return None


def noise_filter() -> BaseAudioFilter | None:
    """Return the noise cancellation of the hosting service; a developer's machine has none."""
    if is_local():
        return None

    from pipecat.audio.filters.krisp_viva_filter import KrispVivaFilter

    return KrispVivaFilter()


async def tell_sockets_apart(runner_args: RunnerArguments) -> None:
    """Find out who opened a WebSocket where the host does not say, as the hosting service.

    Clients send bytes; evals send text, by which the framework knows them.
    """
    if not isinstance(runner_args, WebSocketRunnerArguments) or runner_args.transport_type:
        return
    opened = runner_args.websocket
    unread = [await opened.receive()]
    if unread[0].get("bytes"):
        runner_args.transport_type = "websocket"

    async def receive() -> Message:
        return unread.pop() if unread else await opened.receive()

    # The same connection, the first message put back.
    again = WebSocket(opened.scope, receive=receive, send=opened.send)
    again.client_state = again.application_state = WebSocketState.CONNECTED
    runner_args.websocket = again


# How to set up each transport, by the name that the runner's `-t` option takes.
TRANSPORT_PARAMS: dict[str, Callable[[], TransportParams]] = {
    "webrtc": lambda: TransportParams(
        audio_in_enabled=True,
        audio_in_filter=noise_filter(),
        audio_out_enabled=True,
        video_in_enabled=True,
        video_in_sources={"camera": VideoInSourceParams(framerate=1)},
        video_out_enabled=True,
    ),
    "daily": lambda: DailyParams(
        audio_in_enabled=True,
        audio_in_filter=noise_filter(),
        audio_out_enabled=True,
        video_in_enabled=True,
        video_in_sources={"camera": VideoInSourceParams(framerate=1)},
        video_out_enabled=True,
    ),
    "livekit": lambda: LiveKitParams(
        audio_in_enabled=True,
        audio_in_filter=noise_filter(),
        audio_out_enabled=True,
        video_in_enabled=True,
        video_in_sources={"camera": VideoInSourceParams(framerate=1)},
        video_out_enabled=True,
    ),
    "websocket": lambda: FastAPIWebsocketParams(
        audio_in_enabled=True,
        audio_in_filter=noise_filter(),
        audio_out_enabled=True,
        serializer=ProtobufFrameSerializer(),
    ),
    "eval": lambda: EvalTransportParams(
        audio_in_enabled=True,
        audio_out_enabled=True,
    ),
}


def create_stt() -> DeepgramSTTService:
    """Turn speech into text with Deepgram."""
    return DeepgramSTTService(
        api_key=DEEPGRAM_API_KEY,
    )


def create_llm() -> OpenAILLMService:
    """Think of an answer with OpenAI."""
    return OpenAILLMService(
        api_key=OPENAI_API_KEY,
        base_url=OPENAI_BASE_URL,
        settings=OpenAILLMService.Settings(
            model=OPENAI_MODEL,
            system_instruction=SYSTEM_PROMPT,
        ),
    )


def create_tts() -> CartesiaTTSService:
    """Turn text into speech with Cartesia."""
    return CartesiaTTSService(
        api_key=CARTESIA_API_KEY,
        settings=CartesiaTTSService.Settings(
            voice=CARTESIA_VOICE_ID,
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
    stt = create_stt()
    llm = create_llm()
    tts = create_tts()

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
            stt,
            user_aggregator,
            llm,
            tts,
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
    watched_at = port_to_watch() if is_local() else None
    if watched_at is not None:
        logger.info(f"This session can be watched live at ws://localhost:{watched_at}")
        whisker = WhiskerServer(port=watched_at)
        worker.add_observer(whisker.create_observer(worker))
        await runner.add_workers(whisker)
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
        if watched_at is not None:
            WATCHED.discard(watched_at)


async def bot(runner_args: RunnerArguments) -> None:
    """Serve one session; the runner calls this for everyone who connects."""
    check_settings()
    await tell_sockets_apart(runner_args)
    transport = await create_transport(runner_args, TRANSPORT_PARAMS)
    await run_bot(transport, runner_args)


if __name__ == "__main__":
    check_settings()

    from pipecat.runner.run import main

    main()
