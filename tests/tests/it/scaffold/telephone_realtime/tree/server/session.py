"""Looks after a session: asks a silent user, apologizes for faults, and limits its length."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from loguru import logger
from pipecat.frames.frames import (
    BotSpeakingFrame,
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    EndFrame,
    ErrorFrame,
    Frame,
    FunctionCallCancelFrame,
    InterruptionFrame,
    LLMMessagesAppendFrame,
    UserIdleTimeoutUpdateFrame,
)
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.services.llm_service import LLMService
from pipecat.utils.errors import ErrorCategory

SILENCE_SECS = 20  # how long a user may be silent before the bot asks
QUESTIONS = 2  # how often it asks before it hangs up
SESSION_SECS = 15 * 60  # the longest session
WARNING_SECS = 60  # how long before its end the user is told
STUCK_SECS = 10  # how long the bot waits for its own voice

STILL_THERE = "Are you still there?"
SORRY = "Sorry, something went wrong on my side."
ALMOST_OVER = "We will have to finish in a moment."
GOODBYE = "Thank you for talking to me. Goodbye!"


async def say(worker: PipelineWorker, words: str) -> None:
    """Have the service say these words, after those that it is saying."""
    request = f"Say this to the user, and nothing else: {words}"
    await worker.queue_frame(
        LLMMessagesAppendFrame([{"role": "developer", "content": request}], run_llm=True)
    )


async def said(worker: PipelineWorker, words: str) -> bool:
    """Say these words, and return whether that is done; False if a service is stuck."""
    with suppress(TimeoutError):  # What is being said comes first.
        await asyncio.wait_for(worker.flush_pipeline(), STUCK_SECS)
    frames: asyncio.Queue[Frame] = asyncio.Queue()
    speech = (BotStartedSpeakingFrame, BotSpeakingFrame, BotStoppedSpeakingFrame)
    started = False

    @worker.event_handler("on_frame_reached_upstream")
    async def on_frame_reached_upstream(worker, frame):
        if isinstance(frame, speech):
            frames.put_nowait(frame)

    worker.add_reached_upstream_filter(speech)
    await say(worker, words)
    with suppress(TimeoutError):
        while True:
            frame = await asyncio.wait_for(frames.get(), STUCK_SECS)
            if isinstance(frame, BotStartedSpeakingFrame):
                started = True
            elif isinstance(frame, BotStoppedSpeakingFrame) and started:
                return True
    return False


async def say_or_end(worker: PipelineWorker, words: str) -> None:
    """Say these words; if that is impossible, end the session at once."""
    if not await said(worker, words):
        # An `EndFrame` would wait for the service that is stuck.
        await worker.cancel(reason="the bot is silent")


async def hang_up(worker: PipelineWorker, words: str = GOODBYE) -> None:
    """Say these words, then end the session; also when they can't be said."""

    async def end():
        await say_or_end(worker, words)
        await worker.queue_frame(EndFrame())

    in_background(worker, end())


def in_background(worker: PipelineWorker, work: Coroutine[Any, Any, None]) -> None:
    """Do something beside the conversation, at most until the session ends."""
    task = worker.create_task(work)

    @worker.event_handler("on_pipeline_finished")
    async def on_pipeline_finished(worker, frame):
        await worker.cancel_task(task)


def look_after(worker: PipelineWorker, user_aggregator: FrameProcessor) -> None:
    """Watch over a session: call this before it starts."""
    asked = 0
    apologized = False

    @worker.event_handler("on_pipeline_started")
    async def on_pipeline_started(worker, frame):
        await worker.queue_frame(UserIdleTimeoutUpdateFrame(timeout=SILENCE_SECS))
        in_background(worker, end_in_time())

    async def end_in_time():
        await asyncio.sleep(SESSION_SECS - WARNING_SECS)
        await say(worker, ALMOST_OVER)
        await asyncio.sleep(WARNING_SECS)
        logger.info("The longest session is over")
        await hang_up(worker)

    @user_aggregator.event_handler("on_user_turn_idle")
    async def on_user_turn_idle(aggregator):
        nonlocal asked
        if asked < QUESTIONS:
            asked += 1
            await say(worker, STILL_THERE)
        else:
            logger.info("The user does not answer")
            await hang_up(worker)

    # What the user says or types interrupts the bot, also when it is silent.
    worker.add_reached_downstream_filter((InterruptionFrame,))

    @worker.event_handler("on_frame_reached_downstream")
    async def on_frame_reached_downstream(worker, frame):
        nonlocal asked, apologized
        if isinstance(frame, InterruptionFrame):
            asked, apologized = 0, False

    @worker.event_handler("on_pipeline_error")
    async def on_pipeline_error(worker, frame: ErrorFrame):
        nonlocal apologized
        # The framework has logged it, without credentials. The model speaks about faults of tools.
        if frame.category is ErrorCategory.APPLICATION:
            return
        service = frame.processor
        if isinstance(service, LLMService) and not service.is_usable:
            await worker.cancel(reason="the bot can no longer speak")
        elif not apologized:
            apologized = True
            # During the transfer of a call, the bot doesn't wait for the user.
            await worker.queue_frame(UserIdleTimeoutUpdateFrame(timeout=SILENCE_SECS))
            in_background(worker, say_or_end(worker, SORRY))

    worker.add_reached_upstream_filter((FunctionCallCancelFrame,))

    @worker.event_handler("on_frame_reached_upstream")
    async def on_frame_reached_upstream(worker, frame):
        # After a tool that took too long, the service would wait for the user to speak.
        if isinstance(frame, FunctionCallCancelFrame) and frame.run_llm:
            await say(worker, SORRY)
