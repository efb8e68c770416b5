"""Calls that a machine answers: the bot leaves a message, and hangs up."""

import asyncio
from contextlib import suppress
from typing import Any

from loguru import logger
from pipecat.classifiers.llm.classifier import LLMClassifier
from pipecat.extensions.voicemail.voicemail_detector import (
    VOICEMAIL_QUESTION,
    TTSGate,
    VoicemailDetector,
)
from pipecat.frames.frames import (
    EndFrame,
    Frame,
    TranscriptionFrame,
    TTSStartedFrame,
    UserStartedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.llm_service import LLMService
from pipecat.utils.sync.event_notifier import EventNotifier

from session import say_or_end

SILENCE_SECS = 5  # how long the bot waits for whoever answers to speak
MESSAGE = "Hello, this is an assistant. I will try to reach you again later. Goodbye!"
ATTEMPTS = 3  # how often the bot begins its message, where the machine talks into it


class Voicemail:
    """Finds out who answers a call; until then, or until nobody speaks, the bot is silent."""

    def __init__(self, llm: LLMService[Any], call: dict[str, str] | None) -> None:
        self.detector: list[FrameProcessor] = []
        self.gate: list[FrameProcessor] = []
        if call is None:
            return
        detector = Detector(LLMClassifier(llm=llm))
        self.detector.append(detector.detector())
        person, machine = EventNotifier(), EventNotifier()
        self.gate.append(Gate(person, machine))

        @detector.event_handler("on_conversation_detected")
        async def on_conversation_detected(processor: FrameProcessor):
            await person.notify()

        @detector.event_handler("on_voicemail_detected")
        async def on_voicemail_detected(processor: FrameProcessor):
            logger.info("A machine has answered: leaving a message")
            await machine.notify()
            detector.is_open = True
            worker = detector.pipeline_worker
            for _ in range(ATTEMPTS):
                detector.judged.clear()
                if await say_or_end(worker, MESSAGE, EndFrame()) != "taken back":
                    return
                with suppress(TimeoutError):  # Keys are not judged.
                    await asyncio.wait_for(detector.judged.wait(), SILENCE_SECS)
                if detector.has_person:
                    return
            await worker.queue_frame(EndFrame())


class Detector(VoicemailDetector):
    """Also notices a person who speaks while the message is left."""

    def __init__(self, classifier: LLMClassifier) -> None:
        super().__init__(classifier=classifier)
        self._asked = classifier
        self.is_open = self.has_person = False
        self.judged = asyncio.Event()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        if not self.is_open:
            # After its verdict on a machine, the framework's detector lets no words through.
            await super().process_frame(frame, direction)
            return
        await FrameProcessor.process_frame(self, frame, direction)
        if isinstance(frame, TranscriptionFrame) and not self.has_person:
            try:
                answers = await self._asked.choice(frame.text, {"who": VOICEMAIL_QUESTION})
                self.has_person = answers["who"].choice == "conversation"
            except Exception as error:
                logger.warning(f"Nobody knows who speaks: {error}")
            finally:
                self.judged.set()
            if not self.has_person:
                return
        await self.push_frame(frame, direction)


class Gate(TTSGate):
    """Holds the bot's voice back; also lets it through when nobody has spoken for a while."""

    _timer: asyncio.Task[None] | None = None
    _spoken = False

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, UserStartedSpeakingFrame):
            self._spoken = True
        elif isinstance(frame, TTSStartedFrame) and not self._timer:
            self._timer = self.create_task(self._wait())

    async def _wait(self) -> None:
        await asyncio.sleep(SILENCE_SECS)
        if not self._spoken:
            logger.info("Whoever has answered is silent")
            await self._conversation_notifier.notify()

    async def cleanup(self) -> None:
        await super().cleanup()
        if self._timer:
            await self.cancel_task(self._timer)
