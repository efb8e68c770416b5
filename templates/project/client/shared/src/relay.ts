import {
  Transport,
  type PipecatClientOptions,
  type RTVIEventCallbacks,
  type RTVIMessage,
  type Tracks,
  type TransportState,
} from "@pipecat-ai/client-js";

import { listDevices } from "./devices";

/** What the client, and so any part of the page, may ask the session to do. */
export interface SessionHandlers {
  enableMic: (on: boolean) => void;
  enableCam: (on: boolean) => void;
  updateMic: (id: string) => void;
  updateCam: (id: string) => void;
  updateSpeaker: (id: string) => void;
  /** The client has disconnected, on behalf of the session or of a part of the page. */
  ended: () => void;
  /** Receives messages, also of kinds that the client does not know. */
  message: (message: RTVIMessage) => void;
}

interface Line {
  transport: Transport;
  signal: AbortSignal;
  /** Pending until the attempt has succeeded or failed. */
  connecting: Promise<unknown> | undefined;
}

/** The transport of a client that outlives its connections. It forwards everything to the transport of the current attempt. */
export class Relay extends Transport {
  readonly #handlers: SessionHandlers;
  #line: Line | undefined;
  #closing: Promise<void> = Promise.resolve();

  constructor(handlers: SessionHandlers) {
    super();
    this.#handlers = handlers;
  }

  /** The transport of the current attempt. */
  get current(): Transport | undefined {
    return this.#line?.transport;
  }

  /** Switches to another transport. Events of the previous one are ignored from now on. */
  attach(transport: Transport, signal: AbortSignal, options: Pick<PipecatClientOptions, "enableCam">): void {
    const line: Line = { transport, signal, connecting: undefined };
    const isCurrent = () => this.#line === line;
    const callbacks = Object.entries(this._callbacks).map(([name, callback]) => {
      const passed = (...values: unknown[]): unknown =>
        isCurrent() ? (callback as (...values: unknown[]) => unknown)(...values) : undefined;
      return [name, passed];
    });
    const passed = Object.fromEntries(callbacks) as RTVIEventCallbacks;
    transport.initialize({ ...this._options, ...options, transport, callbacks: passed }, (message) => {
      if (!isCurrent()) return;
      this.#handlers.message(message);
      this._onMessage(message);
    });
    this.#line = line;
  }

  override initialize(options: PipecatClientOptions, messageHandler: (message: RTVIMessage) => void): void {
    this._options = options;
    this._callbacks = options.callbacks ?? {};
    this._onMessage = messageHandler;
  }

  override async initDevices(): Promise<void> {
    if (this.#line?.transport.state === "disconnected") await this.#line.transport.initDevices();
  }

  override async connect(parameters?: unknown): Promise<void> {
    const line = this.#line;
    if (!line) throw new Error("use the session to connect");
    const { transport, signal } = line;
    const connecting = Promise.resolve()
      .then(() => {
        signal.throwIfAborted();
        return transport.connect(parameters);
      })
      .finally(() => {
        line.connecting = undefined;
      });
    line.connecting = connecting;
    // Tell the client about the cancellation at once: later, it would disconnect the next attempt.
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      connecting.then(resolve, reject);
    });
  }

  override disconnect(): Promise<void> {
    const line = this.#line;
    if (line) {
      this.#line = undefined;
      this.#closing = close(line);
      this.#handlers.ended();
      this._callbacks.onTransportStateChanged?.("disconnected");
      this._callbacks.onDisconnected?.();
    }
    return this.#closing;
  }

  override get state(): TransportState {
    return this.#line?.transport.state ?? "disconnected";
  }

  override set state(state: TransportState) {
    if (this.#line) this.#line.transport.state = state;
  }

  override get maxMessageSize(): number {
    return this.#line?.transport.maxMessageSize ?? super.maxMessageSize;
  }

  override sendReadyMessage(): void {
    // With some transports, this waits for the bot.
    return this.#line?.transport.sendReadyMessage();
  }

  override sendMessage(message: RTVIMessage): void {
    this.#line?.transport.sendMessage(message);
  }

  override tracks(): Tracks {
    return this.#line?.transport.tracks() ?? { local: {} };
  }

  override async getAllMics(): Promise<MediaDeviceInfo[]> {
    return (await listDevices()).microphones;
  }

  override async getAllCams(): Promise<MediaDeviceInfo[]> {
    return (await listDevices()).cameras;
  }

  override async getAllSpeakers(): Promise<MediaDeviceInfo[]> {
    return (await listDevices()).speakers;
  }

  override updateMic(id: string): void {
    this.#handlers.updateMic(id);
  }

  override updateCam(id: string): void {
    this.#handlers.updateCam(id);
  }

  override updateSpeaker(id: string): void {
    this.#handlers.updateSpeaker(id);
  }

  override get selectedMic(): MediaDeviceInfo | Record<string, never> {
    return this.#line?.transport.selectedMic ?? {};
  }

  override get selectedCam(): MediaDeviceInfo | Record<string, never> {
    return {};
  }

  override get selectedSpeaker(): MediaDeviceInfo | Record<string, never> {
    return this.#line?.transport.selectedSpeaker ?? {};
  }

  override enableMic(on: boolean): void {
    this.#handlers.enableMic(on);
  }

  override enableCam(on: boolean): void {
    this.#handlers.enableCam(on);
  }

  override enableScreenShare(on: boolean): void {
    this.#line?.transport.enableScreenShare(on);
  }

  override get isMicEnabled(): boolean {
    return this.#line?.transport.isMicEnabled ?? false;
  }

  override get isCamEnabled(): boolean {
    return this.tracks().local.video?.enabled ?? false;
  }

  override get isSharingScreen(): boolean {
    return false;
  }

  override _validateConnectionParams(parameters?: unknown): unknown {
    return parameters;
  }

  override _connect(): Promise<void> {
    return Promise.resolve();
  }

  override _disconnect(): Promise<void> {
    return Promise.resolve();
  }
}

/** Closes a connection. One that is still being opened is closed again once it is open. */
async function close(line: Line): Promise<void> {
  const { transport, connecting } = line;
  const opened = Object.values(transport.tracks().local);
  await transport.disconnect();
  // Some transports do not release devices that they opened but have not used yet.
  for (const track of opened) (track as MediaStreamTrack | undefined)?.stop();
  if (!connecting) return;
  await connecting.catch(() => undefined);
  await transport.disconnect();
}
