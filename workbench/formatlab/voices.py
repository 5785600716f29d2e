"""Speech-like sound with its labels, made of numbers alone: no recording, no text, no other program.

A voice is a train of pulses, as the glottis gives them, through five resonators at the formants of
a vowel; a consonant is noise in a band, or a voice with the formants of a nasal. It says no words. A
speech detector takes it for speech, which is all that it is for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter

from formatlab.models.silero import CONTEXT, FRAME, RATE

# The first three formants of eight vowels, in Hz (Peterson and Barney, 1952).
VOWELS = np.array(
    [
        [730, 1090, 2440],
        [270, 2290, 3010],
        [300, 870, 2240],
        [530, 1840, 2480],
        [570, 840, 2410],
        [660, 1720, 2410],
        [440, 1020, 2240],
        [490, 1350, 1690],
    ],
    float,
)
BANDWIDTHS = (70, 100, 140, 250, 300)
HIGHER_FORMANTS = (3500.0, 4500.0)
PITCHES = (95, 120, 190, 220)
STEP = RATE // 200  # formants change every 5 ms
LOUDEST = 0.95
SMOOTHING = np.hanning(9)[1:-1] / np.hanning(9).sum()


@dataclass(frozen=True, kw_only=True)
class Sound:
    """A part of a syllable: for each step the same formants, loudness of the voice and of the noise,
    and the band of the noise as its centre and its width in Hz.
    """

    formants: np.ndarray
    voice: float
    noise: float
    band: tuple[float, float]
    steps: int


# Of a fricative or a stop: the band of its noise, its loudness, and how much voice goes with it.
NOISES = (
    ((6000.0, 2000.0), 0.25, 0.0),
    ((3000.0, 1500.0), 0.25, 0.0),
    ((5000.0, 4000.0), 0.12, 0.0),
    ((1500.0, 1500.0), 0.25, 0.0),
    ((6000.0, 2000.0), 0.25, 0.3),
)
NASALS = (1000.0, 1300.0, 1700.0)


def recording(seed: int, utterances: int, noise: float = 0.005) -> tuple[np.ndarray, np.ndarray]:
    """Utterances between silences, with white noise over everything.

    Returns the frames that the detector reads, float32 of shape [frames, CONTEXT + FRAME], and for
    each frame whether most of it is speech, as booleans. The same seed gives the same numbers.
    """
    rng = np.random.default_rng(seed)
    parts: list[np.ndarray] = []
    is_speech: list[np.ndarray] = []
    for _ in range(utterances):
        silence = np.zeros(int(rng.uniform(0.8, 2.5) * RATE))
        spoken = utterance(rng, syllables=int(rng.integers(5, 14)), pitch=int(rng.choice(PITCHES)))
        parts += [silence, spoken]
        is_speech += [np.zeros(len(silence), bool), np.ones(len(spoken), bool)]
    count = sum(map(len, parts)) // FRAME
    samples = np.concatenate(parts)[: count * FRAME]
    samples += noise * rng.normal(size=len(samples))
    labels = np.concatenate(is_speech)[: count * FRAME].reshape(count, FRAME)
    return frames(samples), labels.mean(axis=1) > 0.5


def frames(samples: np.ndarray) -> np.ndarray:
    """One row for each FRAME samples, with the CONTEXT samples before them; zeros before the first."""
    padded = np.concatenate([np.zeros(CONTEXT), samples]).astype(np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(padded, CONTEXT + FRAME)
    return np.ascontiguousarray(windows[::FRAME])


def utterance(rng: np.random.Generator, syllables: int, pitch: int) -> np.ndarray:
    """So many syllables of one voice, as samples between -1 and 1."""
    size = rng.uniform(0.9, 1.2)  # of the mouth: it moves all formants
    sounds = [sound for _ in range(syllables) for sound in _syllable(rng, size)]
    steps = [sound for sound in sounds for _ in range(sound.steps)]
    formants = np.stack([_smooth([step.formants[i] for step in steps]) for i in range(3)], axis=1)
    voice = np.repeat(_smooth([step.voice for step in steps]), STEP)
    white = rng.normal(size=len(voice))
    source = _glottis(rng, pitch, len(steps)) * voice + 0.03 * voice * white
    spoken = _through_the_mouth(source, formants, size)
    spoken += _noises(white, steps)
    return np.asarray(spoken / np.abs(spoken).max() * LOUDEST)


def _syllable(rng: np.random.Generator, size: float) -> list[Sound]:
    """A consonant and a vowel."""
    vowel = VOWELS[rng.integers(len(VOWELS))] * size
    kind = int(rng.integers(len(NOISES) + 2))
    steps = int(rng.integers(10, 22))
    if kind < len(NOISES):
        band, noise, voice = NOISES[kind]
        consonant = Sound(formants=vowel, voice=voice, noise=noise, band=band, steps=steps)
    else:
        nasal = np.array([280, rng.choice(NASALS), 2500.0]) * size
        consonant = Sound(
            formants=nasal, voice=0.5, noise=0.0, band=(1000.0, 500.0), steps=steps // 2
        )
    length = int(rng.integers(20, 44))
    return [
        consonant,
        Sound(formants=vowel, voice=0.9, noise=0.01, band=(3000.0, 3000.0), steps=length),
    ]


def _smooth(values: Sequence[float]) -> np.ndarray:
    """A mouth needs some hundredths of a second to move."""
    reach = len(SMOOTHING) // 2
    return np.convolve(np.pad(values, reach, mode="edge"), SMOOTHING, "valid")


def _glottis(rng: np.random.Generator, pitch: int, steps: int) -> np.ndarray:
    """Pulses whose pitch falls over the utterance, wavers and jitters, less loud at high
    frequencies.
    """
    time = np.arange(steps)
    falling = pitch * (1.15 - 0.3 * time / steps)
    wavering = falling * (1 + 0.06 * np.sin(2 * np.pi * time / rng.uniform(40, 70)))
    jitter = 1 + 0.01 * lfilter([0.02], [1, -0.98], rng.normal(size=steps * STEP))
    phase = np.cumsum(np.repeat(wavering, STEP) * jitter / RATE)
    pulses = np.diff(np.floor(phase), prepend=0)
    rounded = lfilter([1], [1, -0.97], lfilter([1], [1, -0.9], pulses))
    return np.asarray(lfilter([1, -1], [1, -0.995], rounded))


def _through_the_mouth(source: np.ndarray, formants: np.ndarray, size: float) -> np.ndarray:
    higher = [each * size for each in HIGHER_FORMANTS]
    states = [np.zeros(2) for _ in BANDWIDTHS]
    out = np.empty_like(source)
    for number, low in enumerate(formants):
        part = source[number * STEP : (number + 1) * STEP]
        for i, (centre, width) in enumerate(zip([*low, *higher], BANDWIDTHS, strict=True)):
            part, states[i] = lfilter(*_resonator(centre, width), part, zi=states[i])
        out[number * STEP : (number + 1) * STEP] = part
    return out


def _noises(white: np.ndarray, steps: Sequence[Sound]) -> np.ndarray:
    state = np.zeros(2)
    out = np.empty_like(white)
    for number, step in enumerate(steps):
        part = white[number * STEP : (number + 1) * STEP]
        part, state = lfilter(*_resonator(*step.band), part, zi=state)
        out[number * STEP : (number + 1) * STEP] = 5 * step.noise * part
    return out


def _resonator(centre: float, width: float) -> tuple[list[float], list[float]]:
    """The coefficients of a filter with two poles and a gain of 1 at 0 Hz, for `lfilter`."""
    radius = float(np.exp(-np.pi * width / RATE))
    poles = [1.0, -2 * radius * float(np.cos(2 * np.pi * centre / RATE)), radius**2]
    return [sum(poles)], poles
