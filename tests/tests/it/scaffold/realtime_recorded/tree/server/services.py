"""The AI services of the bot, and their settings.

Speech-to-speech: Gemini Live
"""

from pipecat.services.google.gemini_live.llm import GeminiLiveLLMService
from pipecat.utils.types import NOT_GIVEN, NotGiven

from settings import optional, required

GOOGLE_API_KEY = required("GOOGLE_API_KEY")
GOOGLE_MODEL: str | NotGiven = optional("GOOGLE_MODEL", NOT_GIVEN)
GOOGLE_VOICE_ID: str | NotGiven = optional("GOOGLE_VOICE_ID", NOT_GIVEN)


def create_llm(system_prompt: str) -> GeminiLiveLLMService:
    """Listen, think and speak with Gemini Live."""
    return GeminiLiveLLMService(
        api_key=GOOGLE_API_KEY,
        settings=GeminiLiveLLMService.Settings(
            model=GOOGLE_MODEL,
            voice=GOOGLE_VOICE_ID,
            system_instruction=system_prompt,
        ),
    )
