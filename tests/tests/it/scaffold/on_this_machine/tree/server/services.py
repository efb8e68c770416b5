"""The AI services of the bot, and their settings.

Speech-to-text: Whisper (local)
Language model: Ollama (local)
Text-to-speech: Kokoro (local)
"""

from pipecat.services.kokoro.tts import KokoroTTSService
from pipecat.services.ollama.llm import OLLamaLLMService
from pipecat.services.whisper.stt import WhisperSTTService
from pipecat.utils.types import NOT_GIVEN, NotGiven

from settings import optional

WHISPER_MODEL: str | NotGiven = optional("WHISPER_MODEL", NOT_GIVEN)
OLLAMA_BASE_URL: str = optional("OLLAMA_BASE_URL", "http://localhost:11434/v1")
OLLAMA_MODEL: str = optional("OLLAMA_MODEL", "qwen2.5:3b")
KOKORO_VOICE_ID: str = optional("KOKORO_VOICE_ID", "af_heart")


def create_stt() -> WhisperSTTService:
    """Turn speech into text with Whisper (local)."""
    return WhisperSTTService(
        settings=WhisperSTTService.Settings(
            model=WHISPER_MODEL,
        ),
    )


def create_llm(system_prompt: str) -> OLLamaLLMService:
    """Generate answers with Ollama (local)."""
    return OLLamaLLMService(
        base_url=OLLAMA_BASE_URL,
        settings=OLLamaLLMService.Settings(
            model=OLLAMA_MODEL,
            system_instruction=system_prompt,
        ),
    )


def create_tts() -> KokoroTTSService:
    """Turn text into speech with Kokoro (local)."""
    return KokoroTTSService(
        settings=KokoroTTSService.Settings(
            voice=KOKORO_VOICE_ID,
        ),
    )
