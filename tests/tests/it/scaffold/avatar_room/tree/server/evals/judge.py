"""Language models that can judge the answers in judged.yaml."""

from typing import Any

from dotenv import load_dotenv
from pipecat.services.openai.llm import OpenAILLMService

load_dotenv(override=True)


def openai(config: dict[str, Any]) -> OpenAILLMService:
    """Return an OpenAI judge; it needs OPENAI_API_KEY, in .env or in the environment."""
    return OpenAILLMService(settings=OpenAILLMService.Settings(model=config["model"]))
