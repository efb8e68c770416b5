"""Looks after a session: asks a silent user, apologizes for faults, and limits its length."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from loguru import logger
from pipecat.frames.frames import (
    EndFrame,
    ErrorFrame,
    InterruptionFrame,
    TTSSpeakFrame,
    UserIdleTimeoutUpdateFrame,
)
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.services.tts_service import TTSService
from pipecat.utils.errors import ErrorCategory

SILENCE_SECS = 20  # how long a user may be silent before the bot asks
QUESTIONS = 2  # how often it asks before it hangs up
SESSION_SECS = 15 * 60  # the longest session
WARNING_SECS = 60  # how long before its end the user is told

STILL_THERE = "Are you still there?"
SORRY = "Sorry, something went wrong on my side."
ALMOST_OVER = "We will have to finish in a moment."
GOODBYE = "Thank you for talking to me. Goodbye!"


async def say(worker: PipelineWorker, words: str) -> None:
    """Say these words, after those that are being said."""
    await worker.queue_frame(TTSSpeakFrame(words))


async def hang_up(worker: PipelineWorker, words: str = GOODBYE) -> None:
    """Say these words, then end the session."""
    await say(worker, words)
    await worker.queue_frame(EndFrame())


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
        if apologized or frame.category is ErrorCategory.APPLICATION:
            return
        apologized = True
        if not isinstance(frame.processor, TTSService):
            await say(worker, SORRY)
