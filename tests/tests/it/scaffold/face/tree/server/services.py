"""The AI services of the bot, and their settings.

Speech-to-text: Deepgram
Language model: OpenAI
Text-to-speech: Cartesia
Video avatar: HeyGen
"""

import aiohttp
from pipecat.services.cartesia.tts import CartesiaTTSService
from pipecat.services.deepgram.stt import DeepgramSTTService
from pipecat.services.heygen.api_liveavatar import LiveAvatarNewSessionRequest
from pipecat.services.heygen.client import ServiceType
from pipecat.services.heygen.video import HeyGenVideoService
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.utils.types import NOT_GIVEN, NotGiven

from settings import optional, required

DEEPGRAM_API_KEY = required("DEEPGRAM_API_KEY")
OPENAI_API_KEY = required("OPENAI_API_KEY")
OPENAI_BASE_URL: str | None = optional("OPENAI_BASE_URL", None)
OPENAI_MODEL: str | NotGiven = optional("OPENAI_MODEL", NOT_GIVEN)
CARTESIA_API_KEY = required("CARTESIA_API_KEY")
CARTESIA_VOICE_ID: str = optional("CARTESIA_VOICE_ID", "86e30c1d-714b-4074-a1f2-1cb6b552fb49")
HEYGEN_API_KEY = required("HEYGEN_API_KEY")
HEYGEN_AVATAR_ID = required("HEYGEN_AVATAR_ID")


def create_stt() -> DeepgramSTTService:
    """Turn speech into text with Deepgram."""
    return DeepgramSTTService(
        api_key=DEEPGRAM_API_KEY,
    )


def create_llm(system_prompt: str) -> OpenAILLMService:
    """Generate answers with OpenAI."""
    return OpenAILLMService(
        api_key=OPENAI_API_KEY,
        base_url=OPENAI_BASE_URL,
        settings=OpenAILLMService.Settings(
            model=OPENAI_MODEL,
            system_instruction=system_prompt,
        ),
    )


def create_tts() -> CartesiaTTSService:
    """Turn text into speech with Cartesia."""
    return CartesiaTTSService(
        api_key=CARTESIA_API_KEY,
        settings=CartesiaTTSService.Settings(
            voice=CARTESIA_VOICE_ID,
        ),
    )


def create_video(session: aiohttp.ClientSession) -> HeyGenVideoService:
    """Show an avatar with HeyGen."""
    return HeyGenVideoService(
        api_key=HEYGEN_API_KEY,
        session=session,
        service_type=ServiceType.LIVE_AVATAR,
        session_request=LiveAvatarNewSessionRequest(
            avatar_id=HEYGEN_AVATAR_ID,
        ),
    )
