/** Plays the bot's audio. */
export class Speaker {
  readonly #element = document.createElement("audio");

  constructor() {
    this.#element.autoplay = true;
    this.#element.hidden = true;
    document.body.append(this.#element);
    // Browsers may block sound until the user interacts with the page; then this tries again.
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

  /** Falls back to the default device if the chosen one is gone, or if the browser offers no choice. */
  async choose(deviceId: string): Promise<void> {
    if (!("setSinkId" in this.#element)) return;
    await this.#element.setSinkId(deviceId).catch(() => this.#element.setSinkId(""));
  }

  #retry(): void {
    if (this.#element.srcObject && this.#element.paused) this.#element.play().catch(() => undefined);
  }
}
