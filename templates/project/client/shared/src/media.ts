import type { Participant, PipecatClientOptions, RTVIEventCallbacks, Tracks } from "@pipecat-ai/client-js";

const USER: Participant = { id: "local", name: "", local: true };

/**
 * The user's microphone and camera, in the form in which transports ask for them. The session opens and closes them; a transport
 * only gets copies, which it may end.
 */
export class OwnMedia {
  readonly #signal: AbortSignal;
  readonly #open: { audio?: MediaStreamTrack; video?: MediaStreamTrack } = {};
  readonly #copies: { audio?: MediaStreamTrack; video?: MediaStreamTrack } = {};
  readonly #on = { audio: true, video: true };
  /** A copy is another one now. The transport replaces what it sends. */
  onReplaced: (kind: "audio" | "video", copy: MediaStreamTrack) => void = () => undefined;
  /** Whether another device can take the place of the one that is sent. */
  canReplace = true;
  protected callbacks: RTVIEventCallbacks = {};
  readonly supportsScreenShare = false;
  readonly isSharingScreen = false;
  readonly selectedSpeaker = {};

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get microphone(): MediaStreamTrack | null {
    return this.#open.audio ?? null;
  }

  get camera(): MediaStreamTrack | null {
    return this.#open.video ?? null;
  }

  /** Uses this device from now on, and closes the one before. */
  use(kind: "audio" | "video", device: MediaStreamTrack): void {
    const before = this.#open[kind];
    this.#open[kind] = device;
    device.enabled = this.#on[kind];
    this.#renew(kind);
    if (before) {
      before.stop();
      this.callbacks.onTrackStopped?.(before, USER);
      this.callbacks.onTrackStarted?.(device, USER);
    }
  }

  /** Makes another copy of what a transport has ended: it ends what it sent over a connection that it gives up. */
  renew(): void {
    for (const kind of ["audio", "video"] as const) {
      if (this.#copies[kind]?.readyState === "ended" && this.#open[kind]?.readyState === "live") this.#renew(kind);
    }
  }

  close(): void {
    for (const track of [...Object.values(this.#open), ...Object.values(this.#copies)]) track.stop();
  }

  // What transports call.

  setClientOptions(options: PipecatClientOptions): void {
    this.callbacks = options.callbacks ?? {};
  }

  async initialize(): Promise<void> {
    this.#signal.throwIfAborted();
    const { audio } = this.#open;
    if (!audio) return;
    const id = audio.getSettings().deviceId;
    const devices = await navigator.mediaDevices.enumerateDevices();
    const microphones = devices.filter((device) => device.kind === "audioinput");
    this.callbacks.onAvailableMicsUpdated?.(microphones);
    const used = microphones.find((device) => device.deviceId === id);
    if (used) this.callbacks.onMicUpdated?.(used);
  }

  /** Silences what the bot has yet to say, where that is played here. */
  userStartedSpeaking(): Promise<void> {
    return Promise.resolve();
  }

  /** Transports do not look whether they were cancelled before they open a connection; here they have to. */
  async connect(): Promise<void> {
    this.#signal.throwIfAborted();
    for (const track of Object.values(this.#open)) this.callbacks.onTrackStarted?.(track, USER);
    return Promise.resolve();
  }

  async disconnect(): Promise<void> {
    for (const track of Object.values(this.#open)) this.callbacks.onTrackStopped?.(track, USER);
    return Promise.resolve();
  }

  enableMic(on: boolean): void {
    this.#enable("audio", on);
  }

  enableCam(on: boolean): void {
    this.#enable("video", on);
  }

  get isMicEnabled(): boolean {
    return this.#on.audio;
  }

  get isCamEnabled(): boolean {
    return this.#on.video && this.#open.video !== undefined;
  }

  tracks(): Tracks {
    return { local: { ...this.#copies } };
  }

  /** Without effect: the session chooses devices, and plays the bot. */
  updateMic(): void {}
  updateCam(): void {}
  updateSpeaker(): void {}
  enableScreenShare(): void {}

  get selectedMic(): MediaDeviceInfo | Record<string, never> {
    return {};
  }

  get selectedCam(): MediaDeviceInfo | Record<string, never> {
    return {};
  }

  getAllMics(): Promise<MediaDeviceInfo[]> {
    return this.#all("audioinput");
  }

  getAllCams(): Promise<MediaDeviceInfo[]> {
    return this.#all("videoinput");
  }

  getAllSpeakers(): Promise<MediaDeviceInfo[]> {
    return this.#all("audiooutput");
  }

  async #all(kind: MediaDeviceKind): Promise<MediaDeviceInfo[]> {
    return (await navigator.mediaDevices.enumerateDevices()).filter((device) => device.kind === kind);
  }

  /** What is off is silent or dark, and sent all the same: the bot has to hear that the user stopped. */
  #enable(kind: "audio" | "video", on: boolean): void {
    this.#on[kind] = on;
    for (const track of [this.#open[kind], this.#copies[kind]]) {
      if (track) track.enabled = on;
    }
  }

  #renew(kind: "audio" | "video"): void {
    const device = this.#open[kind];
    if (!device) return;
    this.#copies[kind]?.stop();
    const copy = device.clone();
    this.#copies[kind] = copy;
    this.onReplaced(kind, copy);
  }
}
