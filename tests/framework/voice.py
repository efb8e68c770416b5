"""A voice for spoken turns, as `tests/client/voice.mjs` has it: `voice.py FILE.wav`."""

import array
import math
import sys
import wave

RATE = 16_000
SECONDS = 1.6
SYLLABLE = 0.2
# The first three resonances of a, i, e and o, in Hz.
VOWELS = [(730, 1090, 2440), (270, 2290, 3010), (530, 1840, 2480), (570, 840, 2410)]
BANDWIDTHS = (80, 100, 140)


def speech():
    """The samples, 16 bits each."""
    radii = [math.exp(-math.pi * bandwidth / RATE) for bandwidth in BANDWIDTHS]
    states = [[0.0, 0.0] for _ in BANDWIDTHS]
    phase, sounds = 0.0, []
    for at in range(int(SECONDS * RATE)):
        time = at / RATE
        phase += 120 * (1 + 0.15 * math.sin(2 * math.pi * 1.3 * time)) / RATE
        pulse, phase = int(phase), phase % 1
        vowel = VOWELS[int(time / SYLLABLE) % len(VOWELS)]
        sound = 0.0
        for which, (frequency, radius, state) in enumerate(zip(vowel, radii, states, strict=True)):
            last, before = state
            turn = 2 * math.cos(2 * math.pi * frequency / RATE)
            now = pulse * (1 - radius) + radius * turn * last - radius**2 * before
            state[:] = now, last
            sound += now / (which + 1)
        sounds.append(math.sqrt(math.sin(math.pi * (time % SYLLABLE) / SYLLABLE)) * sound)
    loudest = max(map(abs, sounds))
    return array.array("h", (int(16_000 * sound / loudest) for sound in sounds))


def main():
    with wave.open(sys.argv[1], "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        samples = speech()
        if sys.byteorder == "big":
            samples.byteswap()
        file.writeframes(samples.tobytes())


if __name__ == "__main__":
    main()
