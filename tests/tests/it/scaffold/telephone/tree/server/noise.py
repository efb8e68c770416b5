"""Noise cancellation."""

import os

from pipecat.audio.filters.base_audio_filter import BaseAudioFilter


def noise_filter() -> BaseAudioFilter | None:
    """Return the noise cancellation of the hosting service; a developer's machine has none."""
    # The runner says so on a developer's machine.
    if os.getenv("ENV") == "local":
        return None

    from pipecat.audio.filters.krisp_viva_filter import KrispVivaFilter

    return KrispVivaFilter()
