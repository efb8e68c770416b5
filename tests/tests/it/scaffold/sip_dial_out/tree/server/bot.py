"""A telephone bot.

Transport: Twilio + Daily SIP (dial-out)

Run it with `uv run bot.py`. Its settings come from the environment and from `.env`;
`.env.example` says what each is for.
"""

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
from pipecat.runner.types import RunnerArguments
from pipecat.runner.utils import create_transport
from pipecat.transports.base_transport import BaseTransport, TransportParams
from pipecat.transports.daily.transport import DailyParams
from pipecat.workers.runner import WorkerRunner

from calls import Dialer, Keys, call_of, in_room_of_call, introduce
from services import create_llm, create_stt, create_tts
from session import look_after
from settings import check_settings, run_locally
from tools import TOOLS
from usage import report_usage
from voicemail import Voicemail

SYSTEM_PROMPT = (
    "You are a friendly, helpful assistant in a spoken conversation. "
    "Everything you write is read aloud, so answer in one to three short sentences of plain words, "
    "without lists, markup or emoji. When you do not know something, say so."
)
GREETING = "Greet the user in one short sentence and ask what you can do for them."


# The parameters of each transport, by the name that the runner's `-t` option takes.
TRANSPORT_PARAMS: dict[str, Callable[[], TransportParams]] = {
    "daily": lambda: DailyParams(
        audio_in_enabled=True,
        audio_out_enabled=True,
    ),
}


async def run_bot(transport: BaseTransport, runner_args: RunnerArguments) -> None:
    """Hold one conversation, until the user disconnects."""
    stt = create_stt()
    llm = create_llm(SYSTEM_PROMPT)
    tts = create_tts()

    call = call_of(runner_args)
    voicemail = Voicemail(llm, call)
    context = LLMContext(tools=TOOLS)
    user_aggregator, assistant_aggregator = LLMContextAggregatorPair(
        context,
        user_params=LLMUserAggregatorParams(vad_analyzer=SileroVADAnalyzer()),
    )

    pipeline = Pipeline(
        [
            transport.input(),
            stt,
            *voicemail.detector,
            Keys(),
            user_aggregator,
            llm,
            tts,
            *voicemail.gate,
            transport.output(),
            assistant_aggregator,
        ]
    )
    worker = PipelineWorker(
        pipeline,
        params=PipelineParams(enable_metrics=True, enable_usage_metrics=True),
        idle_timeout_secs=runner_args.pipeline_idle_timeout_secs,
        app_resources=runner_args,  # for tools
    )
    runner = WorkerRunner(
        handle_sigint=runner_args.handle_sigint,
        handle_sigterm=runner_args.handle_sigterm,
    )
    await runner.add_workers(worker)
    look_after(worker, user_aggregator)
    report_usage(worker)

    async def greet():
        context.add_message({"role": "developer", "content": GREETING})
        await introduce(context, runner_args)
        await worker.queue_frames([LLMRunFrame()])

    @worker.rtvi.event_handler("on_client_ready")
    async def on_client_ready(rtvi):
        await greet()

    @transport.event_handler("on_client_connected")
    async def on_client_connected(transport, client):
        logger.info("The user has connected")

    @transport.event_handler("on_client_disconnected")
    async def on_client_disconnected(transport, client):
        logger.info("The user has gone")
        await runner.cancel()

    if call is not None:
        dialer = Dialer(runner, worker)

        @transport.event_handler("on_joined")
        async def on_joined(transport, data):
            await dialer.dial(transport, call)

        @transport.event_handler("on_dialout_answered")
        async def on_dialout_answered(transport, data):
            if await dialer.answered():
                await greet()

        @transport.event_handler("on_dialout_error")
        async def on_dialout_error(transport, data):
            await dialer.failed(transport, call, data)

        @transport.event_handler("on_dialout_stopped")
        async def on_dialout_stopped(transport, data):
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
    run_locally()
