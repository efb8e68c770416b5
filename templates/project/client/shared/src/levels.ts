import type { SessionState } from "./state";

/** The share of a level that is kept in the next frame: meters rise at once and fall slowly. */
const FALL = 0.88;

/** The range of a meter, in decibels. */
const [QUIET, LOUD] = [-60, -12];

/** Shows the levels of both sides as `--level-you` and `--level-bot` on `page` and in its meters, until the returned function is called. */
export function showLevels(state: () => SessionState, page: HTMLElement): () => void {
  const context = new AudioContext();
  const [you, bot] = [new LevelMeter(context), new LevelMeter(context)];
  const show = (who: "you" | "bot", level: number) => {
    page.style.setProperty(`--level-${who}`, level.toFixed(3));
    page.querySelector(`[role="meter"][data-who="${who}"]`)?.setAttribute("aria-valuenow", String(Math.round(level * 100)));
  };
  const draw = () => {
    const { hearing, ownAudio, botAudio } = state();
    show("you", you.level(hearing ? ownAudio : null));
    show("bot", bot.level(botAudio));
    frame = requestAnimationFrame(draw);
  };
  let frame = requestAnimationFrame(draw);
  return () => {
    cancelAnimationFrame(frame);
    void context.close();
    show("you", 0);
    show("bot", 0);
  };
}

/** Measures one track at a time. */
class LevelMeter {
  readonly #context: AudioContext;
  readonly #analyser: AnalyserNode;
  readonly #samples: Float32Array<ArrayBuffer>;
  #track: MediaStreamTrack | null = null;
  #source: MediaStreamAudioSourceNode | undefined;
  #shown = 0;

  constructor(context: AudioContext) {
    this.#context = context;
    this.#analyser = context.createAnalyser();
    this.#analyser.fftSize = 1024;
    this.#samples = new Float32Array(this.#analyser.fftSize);
  }

  /** Returns the current level of the track, from 0 to 1. */
  level(track: MediaStreamTrack | null): number {
    this.#listenTo(track);
    let loud = 0;
    if (track) {
      this.#analyser.getFloatTimeDomainData(this.#samples);
      const power = this.#samples.reduce((sum, sample) => sum + sample * sample, 0) / this.#samples.length;
      loud = Math.min(1, Math.max(0, (10 * Math.log10(power + 1e-12) - QUIET) / (LOUD - QUIET)));
    }
    this.#shown = Math.max(loud, this.#shown * FALL);
    if (this.#shown < 0.005) this.#shown = 0;
    return this.#shown;
  }

  #listenTo(track: MediaStreamTrack | null): void {
    if (track === this.#track) return;
    this.#track = track;
    this.#source?.disconnect();
    this.#source = track ? this.#context.createMediaStreamSource(new MediaStream([track])) : undefined;
    this.#source?.connect(this.#analyser);
  }
}
