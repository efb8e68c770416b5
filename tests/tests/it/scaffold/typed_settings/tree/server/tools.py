"""Your functions that the language model may call during a conversation.

Write each above TOOLS and list it there; README.md has an example.
"""

from pipecat.adapters.llm.schemas.direct_function import DirectFunction
from pipecat.adapters.llm.schemas.function_schema import FunctionSchema

TOOLS: list[FunctionSchema | DirectFunction] = []
