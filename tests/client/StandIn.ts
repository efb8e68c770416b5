import type { RTVIMessage, TransportState } from "@pipecat-ai/client-js";

import { Relay } from "./relay";

declare global {
  interface Window {
    /** Set by the test: the bot says nothing more. */
    botHangs?: boolean;
  }
}

const nothing = () => undefined;

/** Stands in for the transports of services that can't run here. Its bot answers pings alone. */
export class StandIn extends Relay {
  #now: TransportState = "disconnected";

  constructor() {
    const devices = { enableMic: nothing, enableCam: nothing, updateMic: nothing, updateCam: nothing, updateSpeaker: nothing };
    super({ ...devices, ended: nothing, message: nothing });
  }

  override get state(): TransportState {
    return this.#now;
  }

  override set state(state: TransportState) {
    this.#now = state;
  }

  override connect(): Promise<void> {
    return Promise.resolve();
  }

  override disconnect(): Promise<void> {
    this.#now = "disconnected";
    return Promise.resolve();
  }

  override sendReadyMessage(): void {
    this.#now = "ready";
    this.#say("bot-ready", { version: "2.0.0" });
  }

  override sendMessage({ type, id }: RTVIMessage): void {
    if (type === "client-message" && !window.botHangs) queueMicrotask(() => this.#say("server-response", { t: "ping" }, id));
  }

  #say(type: string, data: unknown, id = ""): void {
    this._onMessage({ id, label: "rtvi-ai", type, data });
  }
}
