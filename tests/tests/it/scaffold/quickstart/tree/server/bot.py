"""A voice bot.

Speech-to-text: Deepgram
Language model: OpenAI
Text-to-speech: Cartesia
Transport: SmallWebRTC (peer to peer)
Transport: Daily (WebRTC)

Run it with `uv run bot.py`. Its settings come from `.env`; `.env.example` says what each is for.
"""

import os
import sys
from collections.abc import Callable

from dotenv import load_dotenv
from loguru import logger
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.frames.frames import LLMRunFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.runner.types import RunnerArguments
from pipecat.runner.utils import create_transport
from pipecat.services.cartesia.tts import CartesiaTTSService
from pipecat.services.deepgram.stt import DeepgramSTTService
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.transports.base_transport import BaseTransport, TransportParams
from pipecat.transports.daily.transport import DailyParams
from pipecat.utils.types import NOT_GIVEN
from pipecat.workers.runner import WorkerRunner

from tools import TOOLS

load_dotenv(override=True)

SYSTEM_PROMPT = (
    "You are a friendly, helpful assistant in a spoken conversation. "
    "Everything you write is read aloud, so answer in one to three short sentences of plain words, "
    "without lists, markup or emoji. When you do not know something, say so."
)
GREETING = "Greet the user in one short sentence and ask what you can do for them."

_HINT = "\nhint: copy .env.example to .env and fill it in; a deployed bot reads its secret set"
_problems: list[str] = []


def required(name: str) -> str:
    """Return a required environment variable."""
    text = os.getenv(name)
    if not text:
        _problems.append(f"{name} is not set")
    return text or ""


def check_settings() -> None:
    """Exit with a message that names every missing or invalid setting."""
    if _problems:
        sys.exit("\n  ".join(["error: the environment is not complete:", *_problems]) + _HINT)


DEEPGRAM_API_KEY = required("DEEPGRAM_API_KEY")
OPENAI_API_KEY = required("OPENAI_API_KEY")
OPENAI_BASE_URL = os.getenv("OPENAI_BASE_URL") or None
OPENAI_MODEL = os.getenv("OPENAI_MODEL") or NOT_GIVEN
CARTESIA_API_KEY = required("CARTESIA_API_KEY")
CARTESIA_VOICE_ID = os.getenv("CARTESIA_VOICE_ID") or "86e30c1d-714b-4074-a1f2-1cb6b552fb49"


# The parameters of each transport, by the name that the runner's `-t` option takes.
TRANSPORT_PARAMS: dict[str, Callable[[], TransportParams]] = {
    "webrtc": lambda: TransportParams(
        audio_in_enabled=True,
        audio_out_enabled=True,
    ),
    "daily": lambda: DailyParams(
        audio_in_enabled=True,
        audio_out_enabled=True,
    ),
}


def create_stt() -> DeepgramSTTService:
    """Turn speech into text with Deepgram."""
    return DeepgramSTTService(
        api_key=DEEPGRAM_API_KEY,
    )


def create_llm(system_prompt: str) -> OpenAILLMService:
    """Generate answers with OpenAI."""
    return OpenAILLMService(
        api_key=OPENAI_API_KEY,
        base_url=OPENAI_BASE_URL,
        settings=OpenAILLMService.Settings(
            model=OPENAI_MODEL,
            system_instruction=system_prompt,
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


async def run_bot(transport: BaseTransport, runner_args: RunnerArguments) -> None:
    """Hold one conversation, until the user disconnects."""
    stt = create_stt()
    llm = create_llm(SYSTEM_PROMPT)
    tts = create_tts()

    context = LLMContext(tools=TOOLS)
    user_aggregator, assistant_aggregator = LLMContextAggregatorPair(
        context,
        user_params=LLMUserAggregatorParams(vad_analyzer=SileroVADAnalyzer()),
    )

    pipeline = Pipeline(
        [
            transport.input(),
            stt,
            user_aggregator,
            llm,
            tts,
            transport.output(),
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

    # Your own event handlers go here.

    await runner.run()


async def bot(runner_args: RunnerArguments) -> None:
    """Run one session; the runner calls this for each connection."""
    check_settings()
    transport = await create_transport(runner_args, TRANSPORT_PARAMS)
    await run_bot(transport, runner_args)


if __name__ == "__main__":
    check_settings()

    from pipecat.runner.run import main

    main()
