"""Typed text for a speech-to-speech service."""

from pipecat.frames.frames import Frame, LLMMessagesAppendFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor


class TypedText(FrameProcessor):
    """Passes typed text to the model; the aggregator would only add it to the context."""

    def __init__(self, llm: FrameProcessor) -> None:
        super().__init__()
        self.llm = llm

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMMessagesAppendFrame):
            await self.llm.queue_frame(frame, direction)
        else:
            await self.push_frame(frame, direction)
