"""Looks after a session: asks a silent user, apologizes for faults, and limits its length."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, Literal

from loguru import logger
from pipecat.frames import frames
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.llm_service import LLMService
from pipecat.utils.errors import ErrorCategory

ANSWER_SECS = 10  # how long the bot may take to answer, and to find its voice
SILENCE_SECS = 20  # how long a user may be silent before the bot asks
QUESTIONS = 2  # how often it asks before it hangs up
SESSION_SECS = 15 * 60  # the longest session
WARNING_SECS = 60  # how long before its end the user is told
NOISE_SECS = 6  # without words for so long, an interruption was a noise
STILL_THERE = "Are you still there?"
SORRY = "Sorry, something went wrong on my side."
ALMOST_OVER = "We will have to finish in a moment."
GOODBYE = "Thank you for talking to me. Goodbye!"


class Release(frames.InterruptionFrame):
    """Frees a service that is stuck; nobody has spoken."""


class Request(frames.LLMMessagesAppendFrame):
    """Has the service say something; the user has not typed it."""


async def say(worker: PipelineWorker, words: str) -> None:
    """Have the service say these words, after those that it is saying."""
    request = f"Say this to the user, and nothing else: {words}"
    await worker.queue_frame(Request([{"role": "developer", "content": request}], run_llm=True))


@asynccontextmanager
async def watched(worker: PipelineWorker) -> AsyncGenerator[asyncio.Queue[frames.Frame]]:
    """Provide the frames that the processors of the pipeline send from now on."""
    queue: asyncio.Queue[frames.Frame] = asyncio.Queue()

    class Watch(BaseObserver):
        async def on_push_frame(self, data: FramePushed) -> None:
            is_twin = data.frame.broadcast_sibling_id is not None
            if not is_twin or data.direction is FrameDirection.DOWNSTREAM:
                queue.put_nowait(data.frame)

    watch = Watch(observe_every_push=False)
    worker.add_observer(watch)
    try:
        yield queue
    finally:
        await worker.remove_observer(watch)


async def said(worker: PipelineWorker, words: str) -> Literal["heard", "taken back", "stuck"]:
    """Say these words; whoever speaks meanwhile takes them back, and a mere noise does not."""
    now = asyncio.get_running_loop().time
    async with watched(worker) as queue:
        noise = True
        while noise:
            with suppress(TimeoutError):  # What is being said comes first.
                await asyncio.wait_for(worker.flush_pipeline(), ANSWER_SECS)
            queue.put_nowait(turn := frames.Frame())  # behind what has happened until now
            asked = speaks = noise = has_words = False
            with suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_SECS) as limit:
                    while not (noise and has_words):
                        match frame := await queue.get():
                            case frames.InterruptionFrame() if not isinstance(frame, Release):
                                noise = True
                            case frames.UserStartedSpeakingFrame():
                                noise = True
                                limit.reschedule(None)
                            case frames.UserStoppedSpeakingFrame() | frames.BotSpeakingFrame():
                                limit.reschedule(now() + (NOISE_SECS if noise else ANSWER_SECS))
                            case frames.BotStartedSpeakingFrame():
                                speaks = asked
                            case frames.BotStoppedSpeakingFrame() if speaks and not noise:
                                return "heard"
                            case frames.TranscriptionFrame(text=text) if text.strip():
                                has_words = True
                            case Request():
                                pass
                            case frames.LLMFullResponseStartFrame() if noise:
                                has_words = True  # the service answers
                            case frames.LLMMessagesAppendFrame() | frames.InputDTMFFrame():
                                noise = has_words = True
                            case _ if frame is turn and not noise:
                                await say(worker, words)
                                asked = True
                return "taken back"
    return "stuck"


async def say_or_end(worker: PipelineWorker, words: str, *then: frames.Frame) -> str:
    """Say these words, then queue these frames; if that is impossible, end the session at once."""
    outcome = await said(worker, words)
    if outcome == "heard":
        await worker.queue_frames(then)
    elif outcome == "stuck":
        await worker.cancel(reason="the bot is silent")  # An `EndFrame` would wait, too.
    return outcome


async def hang_up(worker: PipelineWorker, words: str = GOODBYE) -> None:
    """Say these words, then end the session, unless the user takes them back."""
    in_background(worker, say_or_end(worker, words, frames.EndFrame()))


def in_background(worker: PipelineWorker, work: Coroutine[Any, Any, Any]) -> None:
    """Do something beside the conversation, at most until the session ends."""
    task = worker.create_task(work)

    async def stop(worker, frame):
        await worker.cancel_task(task)

    worker.add_event_handler("on_pipeline_finished", stop)
    task.add_done_callback(lambda _: worker.remove_event_handler("on_pipeline_finished", stop))


def look_after(worker: PipelineWorker, user_aggregator: FrameProcessor) -> None:
    """Watch over a session: call this before it starts."""
    asked, apologized, reads = 0, False, False  # reads: the answers, without a voice

    @worker.event_handler("on_pipeline_started")
    async def on_pipeline_started(worker, frame):
        await worker.queue_frame(frames.UserIdleTimeoutUpdateFrame(timeout=SILENCE_SECS))
        in_background(worker, end_in_time())
        in_background(worker, answer_in_time())

    async def end_in_time():
        await asyncio.sleep(SESSION_SECS - WARNING_SECS)
        in_background(worker, said(worker, ALMOST_OVER))
        for _ in range(3):  # Whoever takes back the goodbye has as long again.
            await asyncio.sleep(WARNING_SECS)
            logger.info("The longest session is over")
            await hang_up(worker)
        await asyncio.sleep(WARNING_SECS)
        await worker.cancel(reason="the session is over")

    async def answer_in_time():
        nonlocal asked, apologized, reads
        now = asyncio.get_running_loop().time
        due: float | None = None  # when the bot has to be heard
        answers = is_heard = False
        async with watched(worker) as queue:
            while True:
                try:
                    async with asyncio.timeout_at(due):
                        frame = await queue.get()
                except TimeoutError:
                    logger.error("The bot does not answer")
                    due, answers = None, False
                    await worker.queue_frame(Release())
                    await apologize()
                    continue
                match frame:
                    case frames.InterruptionFrame() if not isinstance(frame, Release):
                        asked, apologized, due, answers = 0, False, None, False
                    case frames.FunctionCallsStartedFrame():
                        due = None
                    case frames.FunctionCallCancelFrame(run_llm=True):
                        # After a tool that took too long, the service would wait for the user.
                        await say(worker, SORRY)
                    case frames.TranscriptionFrame() | frames.LLMRunFrame() if not answers:
                        due, is_heard = now() + ANSWER_SECS, False
                    case frames.LLMFullResponseStartFrame():
                        due, is_heard, answers = now() + ANSWER_SECS, False, True
                    case frames.LLMFullResponseEndFrame():
                        answers = False
                    case frames.TTSAudioRawFrame() | frames.BotSpeakingFrame():
                        is_heard = True
                    case frames.LLMTextFrame(skip_tts=True, text=text) if text.strip():
                        is_heard = reads = True
                    case _:
                        continue
                if due and is_heard:
                    due = now() + ANSWER_SECS if answers else None

    async def apologize():
        nonlocal apologized
        if not apologized:
            apologized = True
            # During the transfer of a call, the bot doesn't wait for the user.
            await worker.queue_frame(frames.UserIdleTimeoutUpdateFrame(timeout=SILENCE_SECS))
            in_background(worker, say_or_end(worker, SORRY))

    @user_aggregator.event_handler("on_user_turn_idle")
    async def on_user_turn_idle(aggregator):
        nonlocal asked
        if asked < QUESTIONS:
            asked += 1
            in_background(worker, said(worker, STILL_THERE))
        else:
            logger.info("The user does not answer")
            await hang_up(worker)

    @worker.event_handler("on_pipeline_error")
    async def on_pipeline_error(worker, frame: frames.ErrorFrame):
        # The framework has logged it, without credentials. The model speaks about faults of tools.
        if isinstance(it := frame.processor, LLMService) and not it.is_usable:
            await worker.cancel(reason="the bot can no longer speak")
        elif frame.category is not ErrorCategory.APPLICATION:
            await apologize()
