"""The AI services of the bot, and their settings.

Speech-to-text: ElevenLabs
Language model: Anthropic Claude
Text-to-speech: MiniMax
"""

import aiohttp
from pipecat.services.anthropic.llm import AnthropicLLMService
from pipecat.services.elevenlabs.stt import ElevenLabsSTTService
from pipecat.services.minimax.tts import MiniMaxHttpTTSService
from pipecat.utils.types import NOT_GIVEN, NotGiven

from settings import optional, required

ELEVENLABS_API_KEY = required("ELEVENLABS_API_KEY")
ANTHROPIC_API_KEY = required("ANTHROPIC_API_KEY")
ANTHROPIC_MODEL: str | NotGiven = optional("ANTHROPIC_MODEL", NOT_GIVEN)
MINIMAX_API_KEY = required("MINIMAX_API_KEY")
MINIMAX_GROUP_ID = required("MINIMAX_GROUP_ID")
MINIMAX_VOICE_ID: str | NotGiven = optional("MINIMAX_VOICE_ID", NOT_GIVEN)


def create_stt(session: aiohttp.ClientSession) -> ElevenLabsSTTService:
    """Turn speech into text with ElevenLabs."""
    return ElevenLabsSTTService(
        api_key=ELEVENLABS_API_KEY,
        aiohttp_session=session,
    )


def create_llm(system_prompt: str) -> AnthropicLLMService:
    """Generate answers with Anthropic Claude."""
    return AnthropicLLMService(
        api_key=ANTHROPIC_API_KEY,
        settings=AnthropicLLMService.Settings(
            model=ANTHROPIC_MODEL,
            system_instruction=system_prompt,
        ),
    )


def create_tts(session: aiohttp.ClientSession) -> MiniMaxHttpTTSService:
    """Turn text into speech with MiniMax."""
    return MiniMaxHttpTTSService(
        api_key=MINIMAX_API_KEY,
        group_id=MINIMAX_GROUP_ID,
        aiohttp_session=session,
        settings=MiniMaxHttpTTSService.Settings(
            voice=MINIMAX_VOICE_ID,
        ),
    )
