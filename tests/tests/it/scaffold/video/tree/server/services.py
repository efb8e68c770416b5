"""The AI services of the bot, and their settings.

Speech-to-speech: Gemini Live
"""

import os

from pipecat.services.google.gemini_live.llm import GeminiLiveLLMService
from pipecat.utils.types import NOT_GIVEN

from settings import required

GOOGLE_API_KEY = required("GOOGLE_API_KEY")
GOOGLE_MODEL = os.getenv("GOOGLE_MODEL") or NOT_GIVEN
GOOGLE_VOICE_ID = os.getenv("GOOGLE_VOICE_ID") or NOT_GIVEN


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
