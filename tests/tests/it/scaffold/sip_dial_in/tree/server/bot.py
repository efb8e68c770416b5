"""A telephone bot.

Transport: Twilio + Daily SIP (dial-in)
Transport: Twilio
Transport: Daily (WebRTC)

Run it with `uv run bot.py`. Its settings come from the environment and from `.env`;
`.env.example` says what each is for.
"""

import asyncio
import os
from collections.abc import Callable

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
from pipecat.runner.types import (
    DailyRunnerArguments,
    EvalRunnerArguments,
    LiveKitRunnerArguments,
    MOQRunnerArguments,
    RunnerArguments,
    SmallWebRTCRunnerArguments,
    VonageRunnerArguments,
    WebSocketRunnerArguments,
)
from pipecat.runner.utils import create_transport
from pipecat.transports.base_transport import BaseTransport, TransportParams
from pipecat.transports.daily.transport import DailyParams
from pipecat.transports.websocket.fastapi import FastAPIWebsocketParams
from pipecat.workers.runner import WorkerRunner
from twilio.rest import Client
from twilio.twiml.voice_response import Dial, VoiceResponse

from services import create_llm, create_stt, create_tts
from session import look_after
from settings import check_settings
from tools import TOOLS
from transcript import log_transcript
from watch import watch

SYSTEM_PROMPT = (
    "You are a friendly, helpful assistant in a spoken conversation. "
    "Everything you write is read aloud, so answer in one to three short sentences of plain words, "
    "without lists, markup or emoji. When you do not know something, say so."
)
GREETING = "Greet the user in one short sentence and ask what you can do for them."

# The environment variables that calls of each carrier require.
CARRIERS: dict[str, list[str]] = {
    "daily": [
        "TWILIO_ACCOUNT_SID",
        "TWILIO_AUTH_TOKEN",
    ],
    "twilio": [
        "TWILIO_ACCOUNT_SID",
        "TWILIO_AUTH_TOKEN",
    ],
}
# A telephone line carries 8 kHz.
CALL_INPUT_RATE = 8_000
CALL_OUTPUT_RATE = 8_000


def warn_about_calls() -> None:
    """Warn about settings that calls require; without them, everything but calls works."""
    for carrier, names in CARRIERS.items():
        missing = [name for name in names if not os.getenv(name)]
        if missing:
            logger.warning(f"Calls from {carrier} will fail: {', '.join(missing)} not set in .env")


def is_stream(runner_args: RunnerArguments) -> bool:
    """Return whether a carrier streams the session's audio; known once its transport exists."""
    if not isinstance(runner_args, WebSocketRunnerArguments):
        return False
    return runner_args.transport_type in CARRIERS


# The arguments of a session whose transport is known; a call's room comes in the body instead.
TRANSPORT_CHOSEN = (
    DailyRunnerArguments,
    EvalRunnerArguments,
    LiveKitRunnerArguments,
    MOQRunnerArguments,
    SmallWebRTCRunnerArguments,
    VonageRunnerArguments,
    WebSocketRunnerArguments,
)


class CallArguments(DailyRunnerArguments):
    """The arguments of a call, in the room that `server.py` created for it."""


def in_room_of_call(runner_args: RunnerArguments) -> RunnerArguments:
    """Return arguments for the room that `server.py` created for a call; others keep theirs."""
    body = runner_args.body
    if isinstance(runner_args, TRANSPORT_CHOSEN) or not body or "room_url" not in body:
        return runner_args
    return CallArguments(
        room_url=body["room_url"],
        token=body["token"],
        body=body,
        session_id=runner_args.session_id,
    )


def call_of(runner_args: RunnerArguments) -> dict[str, str] | None:
    """Return Twilio's data on a call (`call_sid`, `From`, `To`); None if it is not a call."""
    if not isinstance(runner_args, CallArguments) or not runner_args.body:
        return None
    return runner_args.body.get("twilio_call")


def take_over(call_sid: str, sip_endpoint: str) -> None:
    """Have Twilio connect the held call to the bot's room."""
    dial = Dial()
    dial.sip(sip_endpoint if sip_endpoint.startswith("sip") else f"sip:{sip_endpoint}")
    answer = VoiceResponse()
    answer.append(dial)
    client = Client(os.getenv("TWILIO_ACCOUNT_SID"), os.getenv("TWILIO_AUTH_TOKEN"))
    client.calls(call_sid).update(twiml=str(answer))


# The parameters of each transport, by the name that the runner's `-t` option takes.
TRANSPORT_PARAMS: dict[str, Callable[[], TransportParams]] = {
    "daily": lambda: DailyParams(
        audio_in_enabled=True,
        audio_out_enabled=True,
    ),
    "twilio": lambda: FastAPIWebsocketParams(
        audio_in_enabled=True,
        audio_out_enabled=True,
    ),
}


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

    log_transcript(user_aggregator, assistant_aggregator)

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
    params = PipelineParams(enable_metrics=True, enable_usage_metrics=True)
    if is_stream(runner_args):
        params.audio_in_sample_rate = CALL_INPUT_RATE
        params.audio_out_sample_rate = CALL_OUTPUT_RATE
    worker = PipelineWorker(
        pipeline,
        params=params,
        idle_timeout_secs=runner_args.pipeline_idle_timeout_secs,
    )
    runner = WorkerRunner(
        handle_sigint=runner_args.handle_sigint,
        handle_sigterm=runner_args.handle_sigterm,
    )
    await watch(worker, runner)
    await runner.add_workers(worker)
    look_after(worker, user_aggregator)

    call = call_of(runner_args)

    async def greet():
        context.add_message({"role": "developer", "content": GREETING})
        await worker.queue_frames([LLMRunFrame()])

    @worker.rtvi.event_handler("on_client_ready")
    async def on_client_ready(rtvi):
        await greet()

    @transport.event_handler("on_client_connected")
    async def on_client_connected(transport, client):
        logger.info("The user has connected")
        # A telephone has no client that reports when it is ready.
        if call is not None or is_stream(runner_args):
            await greet()

    @transport.event_handler("on_client_disconnected")
    async def on_client_disconnected(transport, client):
        logger.info("The user has gone")
        await runner.cancel()

    if call is not None:

        @transport.event_handler("on_dialin_ready")
        async def on_dialin_ready(transport, sip_endpoint):
            try:
                await asyncio.to_thread(take_over, call["call_sid"], sip_endpoint)
            except Exception as error:
                logger.error(f"The call could not be taken over: {error}")
                await runner.cancel()

        @transport.event_handler("on_dialin_error")
        async def on_dialin_error(transport, data):
            await runner.cancel()

    # Your own event handlers go here.

    await runner.run()


async def bot(runner_args: RunnerArguments) -> None:
    """Run one session; the runner calls this for each connection."""
    check_settings()
    runner_args = in_room_of_call(runner_args)
    transport = await create_transport(runner_args, TRANSPORT_PARAMS)
    await run_bot(transport, runner_args)


if __name__ == "__main__":
    check_settings()
    warn_about_calls()

    environment = dict(os.environ)
    from pipecat.runner.run import main

    # That import reads `.env` once more, over the environment.
    os.environ.update(environment, ENV="local")
    main()
