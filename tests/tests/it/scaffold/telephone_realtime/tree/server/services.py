"""The AI services of the bot, and their settings.

Speech-to-speech: AWS Nova Sonic
"""

from pipecat.services.aws.nova_sonic.llm import AWSNovaSonicLLMService
from pipecat.utils.types import NOT_GIVEN, NotGiven

from settings import optional, required

AWS_ACCESS_KEY_ID = required("AWS_ACCESS_KEY_ID")
AWS_SECRET_ACCESS_KEY = required("AWS_SECRET_ACCESS_KEY")
AWS_SESSION_TOKEN: str | None = optional("AWS_SESSION_TOKEN", None)
AWS_REGION = required("AWS_REGION")
AWS_VOICE_ID: str | NotGiven = optional("AWS_VOICE_ID", NOT_GIVEN)


def create_llm(system_prompt: str) -> AWSNovaSonicLLMService:
    """Listen, think and speak with AWS Nova Sonic."""
    return AWSNovaSonicLLMService(
        access_key_id=AWS_ACCESS_KEY_ID,
        secret_access_key=AWS_SECRET_ACCESS_KEY,
        session_token=AWS_SESSION_TOKEN,
        region=AWS_REGION,
        settings=AWSNovaSonicLLMService.Settings(
            voice=AWS_VOICE_ID,
            system_instruction=system_prompt,
        ),
    )
