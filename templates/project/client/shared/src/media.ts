import type { Participant, PipecatClientOptions, RTVIEventCallbacks, Tracks } from "@pipecat-ai/client-js";

const USER: Participant = { id: "local", name: "", local: true };

/**
 * The user's microphone and camera, behind the interface that transports use. The session opens and closes them; a transport
 * gets copies, which it may stop.
 */
export class OwnMedia {
  readonly #signal: AbortSignal;
  readonly #open: { audio?: MediaStreamTrack; video?: MediaStreamTrack } = {};
  readonly #copies: { audio?: MediaStreamTrack; video?: MediaStreamTrack } = {};
  readonly #on = { audio: true, video: true };
  /** Called when a copy is replaced, so that the transport sends the new one. */
  onReplaced: (kind: "audio" | "video", copy: MediaStreamTrack) => void = () => undefined;
  /** Whether the device can be changed during a conversation. */
  canReplace: () => boolean = () => true;
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

  /** Switches to this device, and closes the previous one. */
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

  /** Makes a new copy after a transport has stopped one, as it does when it gives up a connection. */
  renew(): void {
    for (const kind of ["audio", "video"] as const) {
      if (this.#copies[kind]?.readyState === "ended" && this.#open[kind]?.readyState === "live") this.#renew(kind);
    }
  }

  close(): void {
    for (const track of [...Object.values(this.#open), ...Object.values(this.#copies)]) track.stop();
  }

  // Called by transports.

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

  /** Drops the bot's buffered speech, where it is played here. */
  userStartedSpeaking(): Promise<void> {
    return Promise.resolve();
  }

  /** Transports do not check for cancellation before they open a connection; this makes them. */
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

  /** Does nothing: the session chooses devices and plays the bot. */
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

  /** A muted track is still sent, silent or dark: the bot must hear that the user stopped speaking. */
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
