"""The AI services of the bot, and their settings.

Speech-to-text: AssemblyAI
Language model: Groq
Text-to-speech: Rime
"""

from pipecat.services.assemblyai.stt import AssemblyAISTTService
from pipecat.services.groq.llm import GroqLLMService
from pipecat.services.rime.tts import RimeTTSService
from pipecat.utils.types import NOT_GIVEN, NotGiven

from settings import optional, required

ASSEMBLYAI_API_KEY = required("ASSEMBLYAI_API_KEY")
GROQ_API_KEY = required("GROQ_API_KEY")
GROQ_MODEL: str | NotGiven = optional("GROQ_MODEL", NOT_GIVEN)
RIME_API_KEY = required("RIME_API_KEY")
RIME_VOICE_ID = required("RIME_VOICE_ID")


def create_stt() -> AssemblyAISTTService:
    """Turn speech into text with AssemblyAI."""
    return AssemblyAISTTService(
        api_key=ASSEMBLYAI_API_KEY,
    )


def create_llm(system_prompt: str) -> GroqLLMService:
    """Generate answers with Groq."""
    return GroqLLMService(
        api_key=GROQ_API_KEY,
        settings=GroqLLMService.Settings(
            model=GROQ_MODEL,
            system_instruction=system_prompt,
        ),
    )


def create_tts() -> RimeTTSService:
    """Turn text into speech with Rime."""
    return RimeTTSService(
        api_key=RIME_API_KEY,
        settings=RimeTTSService.Settings(
            voice=RIME_VOICE_ID,
        ),
    )
