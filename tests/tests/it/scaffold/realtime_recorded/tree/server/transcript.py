"""The transcript of a session, in the log."""

from loguru import logger
from pipecat.processors.aggregators.llm_response_universal import (
    AssistantTurnStoppedMessage,
    UserTurnMessageAddedMessage,
)
from pipecat.processors.frame_processor import FrameProcessor


def log_transcript(user_aggregator: FrameProcessor, assistant_aggregator: FrameProcessor) -> None:
    """Log each turn of the user and the bot."""

    @user_aggregator.event_handler("on_user_turn_message_added")
    async def on_user_turn_message_added(aggregator, message: UserTurnMessageAddedMessage):
        logger.info(f"Transcript: [{message.timestamp}] user: {message.content}")

    @assistant_aggregator.event_handler("on_assistant_turn_stopped")
    async def on_assistant_turn_stopped(aggregator, message: AssistantTurnStoppedMessage):
        logger.info(f"Transcript: [{message.timestamp}] bot: {message.content}")
