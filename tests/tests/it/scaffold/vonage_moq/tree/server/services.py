"""The AI services of the bot, and their settings.

Speech-to-text: OpenAI
Language model: OpenAI
Text-to-speech: OpenAI
"""

from pipecat.services.openai.llm import OpenAILLMService
from pipecat.services.openai.stt import OpenAISTTService
from pipecat.services.openai.tts import OpenAITTSService
from pipecat.utils.types import NOT_GIVEN, NotGiven

from settings import optional, required

OPENAI_API_KEY = required("OPENAI_API_KEY")
OPENAI_BASE_URL: str | None = optional("OPENAI_BASE_URL", None)
OPENAI_MODEL: str | NotGiven = optional("OPENAI_MODEL", NOT_GIVEN)
OPENAI_VOICE_ID: str | NotGiven = optional("OPENAI_VOICE_ID", NOT_GIVEN)


def create_stt() -> OpenAISTTService:
    """Turn speech into text with OpenAI."""
    return OpenAISTTService(
        api_key=OPENAI_API_KEY,
        base_url=OPENAI_BASE_URL,
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


def create_tts() -> OpenAITTSService:
    """Turn text into speech with OpenAI."""
    return OpenAITTSService(
        api_key=OPENAI_API_KEY,
        base_url=OPENAI_BASE_URL,
        sample_rate=24000,
        settings=OpenAITTSService.Settings(
            voice=OPENAI_VOICE_ID,
        ),
    )
