"""What a session used, in the log."""

from collections import defaultdict

from loguru import logger
from pipecat.frames.frames import MetricsFrame
from pipecat.metrics.metrics import LLMUsageMetricsData, STTUsageMetricsData, TTSUsageMetricsData
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.pipeline.worker import PipelineWorker


class Usage(BaseObserver):
    """Adds up what the services report."""

    def __init__(self) -> None:
        super().__init__(observe_every_push=False)
        self.used: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))

    async def on_push_frame(self, data: FramePushed) -> None:
        for it in data.frame.data if isinstance(data.frame, MetricsFrame) else []:
            match it:
                case LLMUsageMetricsData(value=tokens):
                    self.add(it.processor, "tokens in", tokens.prompt_tokens)
                    self.add(it.processor, "tokens out", tokens.completion_tokens)
                case STTUsageMetricsData(value=heard):
                    self.add(it.processor, "seconds", heard.audio_seconds)
                case TTSUsageMetricsData(value=characters):
                    self.add(it.processor, "characters", characters)

    def __str__(self) -> str:
        return "; ".join(
            service + " " + ", ".join(f"{amount:.0f} {unit}" for unit, amount in used.items())
            for service, used in self.used.items()
        )

    def add(self, processor: str, unit: str, amount: float) -> None:
        self.used[processor.partition("#")[0]][unit] += amount


def report_usage(worker: PipelineWorker) -> None:
    """Log what the session used when it ends: call this before it starts."""
    usage = Usage()
    worker.add_observer(usage)

    @worker.event_handler("on_pipeline_finished")
    async def on_pipeline_finished(worker, frame):
        if usage.used:
            logger.info(f"Used: {usage}")
