"""The AI services of the bot, and their settings.

Speech-to-text: Deepgram
Language model: OpenAI
Text-to-speech: Cartesia
"""

from pipecat.services.cartesia.tts import CartesiaTTSService
from pipecat.services.deepgram.stt import DeepgramSTTService
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.utils.types import NOT_GIVEN, NotGiven

from settings import optional, required

DEEPGRAM_API_KEY = required("DEEPGRAM_API_KEY")
OPENAI_API_KEY = required("OPENAI_API_KEY")
OPENAI_BASE_URL: str | None = optional("OPENAI_BASE_URL", None)
OPENAI_MODEL: str | NotGiven = optional("OPENAI_MODEL", NOT_GIVEN)
CARTESIA_API_KEY = required("CARTESIA_API_KEY")
CARTESIA_VOICE_ID: str = optional("CARTESIA_VOICE_ID", "86e30c1d-714b-4074-a1f2-1cb6b552fb49")


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
