"""Noise cancellation."""

import os

from pipecat.audio.filters.base_audio_filter import BaseAudioFilter


def noise_filter() -> BaseAudioFilter | None:
    """Return the hosting service's noise cancellation; None when the bot runs locally."""
    # The runner sets this when the bot runs locally.
    if os.getenv("ENV") == "local":
        return None

    from pipecat.audio.filters.krisp_viva_filter import KrispVivaFilter

    return KrispVivaFilter()
