"""The AI services of the bot, and their settings.

Speech-to-speech: OpenAI Realtime
Video avatar: Simli
"""

from pipecat.services.openai.realtime.events import (
    AudioConfiguration,
    AudioInput,
    AudioOutput,
    InputAudioTranscription,
    SemanticTurnDetection,
    SessionProperties,
)
from pipecat.services.openai.realtime.llm import OpenAIRealtimeLLMService
from pipecat.services.simli.video import SimliVideoService

from settings import optional, required

OPENAI_API_KEY = required("OPENAI_API_KEY")
OPENAI_VOICE_ID: str | None = optional("OPENAI_VOICE_ID", None)
SIMLI_API_KEY = required("SIMLI_API_KEY")
SIMLI_FACE_ID = required("SIMLI_FACE_ID")


def create_llm(system_prompt: str) -> OpenAIRealtimeLLMService:
    """Listen, think and speak with OpenAI Realtime."""
    return OpenAIRealtimeLLMService(
        api_key=OPENAI_API_KEY,
        settings=OpenAIRealtimeLLMService.Settings(
            session_properties=SessionProperties(
                audio=AudioConfiguration(
                    input=AudioInput(
                        transcription=InputAudioTranscription(),
                        turn_detection=SemanticTurnDetection(),
                    ),
                    output=AudioOutput(
                        voice=OPENAI_VOICE_ID,
                    ),
                ),
            ),
            system_instruction=system_prompt,
        ),
    )


def create_video() -> SimliVideoService:
    """Show an avatar with Simli."""
    return SimliVideoService(
        api_key=SIMLI_API_KEY,
        face_id=SIMLI_FACE_ID,
    )
