/** Plays the bot. */
export class Speaker {
  readonly #element = document.createElement("audio");

  constructor() {
    this.#element.autoplay = true;
    this.#element.hidden = true;
    document.body.append(this.#element);
    // A browser that forbids sound until the user does something is asked again then.
    document.addEventListener("pointerdown", () => this.#retry());
    document.addEventListener("keydown", () => this.#retry());
  }

  play(track: MediaStreamTrack | null): void {
    const playing = this.#element.srcObject instanceof MediaStream ? this.#element.srcObject.getTracks()[0] : null;
    if (playing === track) return;
    this.#element.srcObject = track && new MediaStream([track]);
  }

  setVolume(volume: number): void {
    this.#element.volume = volume;
  }

  /** The default one if it is gone, or if the browser knows no choice. */
  async choose(deviceId: string): Promise<void> {
    if (!("setSinkId" in this.#element)) return;
    await this.#element.setSinkId(deviceId).catch(() => this.#element.setSinkId(""));
  }

  #retry(): void {
    if (this.#element.srcObject && this.#element.paused) this.#element.play().catch(() => undefined);
  }
}
