"""The AI services of the bot, and their settings.

Speech-to-text: Gladia
Language model: Google Gemini
Text-to-speech: Camb.ai
"""

from typing import Literal

from pipecat.services.camb.tts import CambTTSService
from pipecat.services.gladia.stt import GladiaSTTService
from pipecat.services.google.llm import GoogleLLMService
from pipecat.utils.types import NOT_GIVEN, NotGiven

from settings import converted, one_of, optional, required

GLADIA_API_KEY = required("GLADIA_API_KEY")
GLADIA_REGION: Literal["us-west", "eu-west"] | None = one_of(
    "GLADIA_REGION",
    ["us-west", "eu-west"],
    None,
)
GOOGLE_API_KEY = required("GOOGLE_API_KEY")
GOOGLE_MODEL: str | NotGiven = optional("GOOGLE_MODEL", NOT_GIVEN)
CAMB_API_KEY = required("CAMB_API_KEY")
CAMB_VOICE_ID: int | NotGiven = converted("CAMB_VOICE_ID", int, NOT_GIVEN)


def create_stt() -> GladiaSTTService:
    """Turn speech into text with Gladia."""
    return GladiaSTTService(
        api_key=GLADIA_API_KEY,
        region=GLADIA_REGION,
    )


def create_llm(system_prompt: str) -> GoogleLLMService:
    """Generate answers with Google Gemini."""
    return GoogleLLMService(
        api_key=GOOGLE_API_KEY,
        settings=GoogleLLMService.Settings(
            model=GOOGLE_MODEL,
            system_instruction=system_prompt,
        ),
    )


def create_tts() -> CambTTSService:
    """Turn text into speech with Camb.ai."""
    return CambTTSService(
        api_key=CAMB_API_KEY,
        settings=CambTTSService.Settings(
            voice=CAMB_VOICE_ID,
        ),
    )
