"""The bot's picture: a disc that shows whether the bot listens, thinks or speaks."""

from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    Frame,
    LLMFullResponseStartFrame,
    OutputImageRawFrame,
    StartFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

WIDTH, HEIGHT = 320, 240  # as in TRANSPORT_PARAMS in bot.py; other sizes are scaled
BACKGROUND = (16, 20, 28)


def disc(color: tuple[int, int, int], radius: int) -> bytes:
    """Draw a disc in the middle of the picture."""
    rows: list[bytes] = []
    for y in range(HEIGHT):
        half = int(max(0, radius**2 - (y - HEIGHT // 2) ** 2) ** 0.5)
        side = bytes(BACKGROUND) * (WIDTH // 2 - half)
        rows.append(side + bytes(color) * (2 * half) + side)
    return b"".join(rows)


LISTENING = disc((70, 150, 255), 50)
THINKING = disc((255, 180, 60), 35)
SPEAKING = disc((70, 210, 120), 70)

PICTURES: dict[type[Frame], bytes] = {
    StartFrame: LISTENING,
    UserStartedSpeakingFrame: LISTENING,
    UserStoppedSpeakingFrame: THINKING,
    LLMFullResponseStartFrame: THINKING,
    BotStartedSpeakingFrame: SPEAKING,
    BotStoppedSpeakingFrame: LISTENING,
}


class Screen(FrameProcessor):
    """Changes the picture with what the bot does; belongs before the transport's output."""

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)
        picture = PICTURES.get(type(frame))
        if picture:
            await self.push_frame(OutputImageRawFrame(picture, (WIDTH, HEIGHT), "RGB"))
