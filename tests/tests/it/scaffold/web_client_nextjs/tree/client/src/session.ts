import { PipecatClient, type RTVIMessage } from "@pipecat-ai/client-js";

import { Conversation, type Turn } from "./conversation";
import { listDevices, onDevicesChanged, tryDevice, type Devices } from "./devices";
import { CAMERA } from "./features";
import { closedInOrder, explain, Problem } from "./problems";
import { BOT_URL, OFFERED } from "./settings";
import { TRANSPORTS, type TransportChoice } from "./transports";

/** How long the bot may take from the first request until it is ready. */
const PATIENCE_MS = 45_000;

const ENDED_BY_BOT = "The bot ended the conversation";

export type Phase = "idle" | "connecting" | "ready" | "closing";

/** Everything that the page shows. */
export interface SessionState {
  phase: Phase;
  status: string;
  problem: string;
  transport: TransportChoice;
  devices: Devices;
  microphone: string;
  camera: string;
  microphoneOn: boolean;
  cameraOn: boolean;
  turns: Turn[];
  client: PipecatClient | null;
  botAudio: MediaStreamTrack | null;
  botVideo: MediaStreamTrack | null;
  ownVideo: MediaStreamTrack | null;
}

/** One conversation at a time with the bot. Changes are announced to those who subscribe. */
export class Session {
  #state: SessionState = {
    phase: "idle",
    status: "Not connected",
    problem: "",
    transport: OFFERED[0] ?? (TRANSPORTS[0] as TransportChoice),
    devices: { microphones: [], cameras: [], speakers: [] },
    microphone: "",
    camera: "",
    microphoneOn: true,
    cameraOn: true,
    turns: [],
    client: null,
    botAudio: null,
    botVideo: null,
    ownVideo: null,
  };
  readonly #listeners = new Set<() => void>();
  /** Which connection events belong to; those of older ones are not heard any more. */
  #attempt = 0;

  constructor() {
    onDevicesChanged(() => void this.#refreshDevices());
    void this.#refreshDevices();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState => this.#state;

  readonly connect = async (): Promise<void> => {
    if (this.#state.phase !== "idle") return;
    const attempt = ++this.#attempt;
    const { transport, microphone, camera } = this.#state;
    const withCamera = CAMERA && transport.video;
    this.#set({ phase: "connecting", status: "Asking for the microphone…", problem: "", turns: [], microphoneOn: true, cameraOn: true });
    try {
      await tryDevice("audio", microphone);
      if (withCamera) await tryDevice("video", camera);
      await this.#refreshDevices();
      if (attempt !== this.#attempt) return;

      this.#set({ status: "Starting the bot…" });
      const loaded = await transport.load({ on: withCamera, id: camera });
      if (attempt !== this.#attempt) return;
      // The camera manager of peer-to-peer connections opens the camera by itself.
      const client = new PipecatClient({
        transport: loaded,
        enableMic: true,
        enableCam: withCamera && transport.switchesLive,
        callbacks: this.#callbacks(attempt),
      });
      this.#set({ client });
      await within(PATIENCE_MS, this.#start(client));
      if (attempt !== this.#attempt) return;
      this.#set({ phase: "ready", status: "Ready: say something", ownVideo: client.tracks().local.video ?? null });
    } catch (error) {
      if (attempt !== this.#attempt) return;
      await this.#end("Not connected", explain(error));
    }
  };

  readonly disconnect = async (): Promise<void> => {
    if (this.#state.phase === "connecting" || this.#state.phase === "ready") await this.#end("Disconnected", "");
  };

  readonly chooseTransport = (key: string): void => {
    const transport = OFFERED.find((offered) => offered.key === key);
    if (transport) this.#set({ transport });
  };

  readonly chooseMicrophone = (id: string): void => {
    this.#set({ microphone: id });
    this.#state.client?.updateMic(id);
  };

  readonly chooseCamera = (id: string): void => {
    this.#set({ camera: id });
    this.#state.client?.updateCam(id);
  };

  readonly switchMicrophone = (): void => {
    const on = !this.#state.microphoneOn;
    this.#state.client?.enableMic(on);
    this.#set({ microphoneOn: on });
  };

  readonly switchCamera = (): void => {
    const on = !this.#state.cameraOn;
    this.#state.client?.enableCam(on);
    this.#set({ cameraOn: on });
  };

  async #start(client: PipecatClient): Promise<void> {
    const { transport, microphone, camera } = this.#state;
    await client.initDevices();
    if (microphone) await Promise.resolve(client.transport.updateMic(microphone));
    if (camera && transport.switchesLive && transport.video) client.updateCam(camera);
    const started = await client.startBot({
      endpoint: `${BOT_URL}/start`,
      requestData: { transport: transport.key, body: {}, ...transport.start },
    });
    await client.connect(transport.connection(started, BOT_URL));
  }

  #callbacks(attempt: number) {
    const conversation = new Conversation();
    conversation.begin();
    const current = (change: () => Partial<SessionState>) => {
      if (attempt === this.#attempt) this.#set(change());
    };
    const ended = () => {
      if (attempt === this.#attempt && this.#state.phase === "ready") void this.#end(ENDED_BY_BOT, "");
    };
    return {
      onBotStarted: () => current(() => ({ status: "Connecting to the bot…" })),
      onConnected: () => current(() => ({ status: "Waiting for the bot…" })),
      onBotDisconnected: ended,
      onDisconnected: ended,
      onError: (message: RTVIMessage) => {
        const { error, message: text, fatal } = message.data as { error?: string; message?: string; fatal?: boolean };
        if (attempt !== this.#attempt || this.#state.phase !== "ready") return;
        const reason = error ?? text ?? "no reason was given";
        if (!fatal) {
          this.#set({ problem: `The bot reports a problem: ${reason}` });
          return;
        }
        // After a fatal error the client hangs up by itself, and would fail to do it twice.
        this.#set({ client: null });
        if (closedInOrder(reason)) {
          void this.#end(ENDED_BY_BOT, "");
        } else {
          void this.#end("Not connected", `The connection to the bot was lost: ${reason}`);
        }
      },
      onBotStartedSpeaking: () => current(() => ({ status: "The bot speaks" })),
      onBotStoppedSpeaking: () => current(() => ({ status: "Ready: say something" })),
      onUserStartedSpeaking: () => current(() => ({ status: "Listening…" })),
      onUserStoppedSpeaking: () => current(() => ({ status: "The bot thinks…" })),
      onUserTranscript: ({ text, final }: { text: string; final: boolean }) => {
        conversation.userSaid(text, final);
        current(() => ({ turns: conversation.turns }));
      },
      onBotOutput: (said: Parameters<Conversation["botSaid"]>[0]) => {
        conversation.botSaid(said);
        current(() => ({ turns: conversation.turns }));
      },
      onTrackStarted: (track: MediaStreamTrack, participant?: { local: boolean }) => {
        if (participant?.local) return;
        current(() => (track.kind === "audio" ? { botAudio: track } : { botVideo: track }));
      },
      onTrackStopped: (track: MediaStreamTrack) => {
        current(() => ({
          botAudio: this.#state.botAudio === track ? null : this.#state.botAudio,
          botVideo: this.#state.botVideo === track ? null : this.#state.botVideo,
        }));
      },
    };
  }

  async #end(status: string, problem: string): Promise<void> {
    this.#attempt += 1;
    const { client } = this.#state;
    this.#set({ phase: "closing", status: "Disconnecting…", problem, botAudio: null, botVideo: null, ownVideo: null });
    // What is left of a broken connection may fail to close; it is over all the same.
    await within(5_000, client?.disconnect() ?? Promise.resolve()).catch(() => undefined);
    this.#set({ phase: "idle", status, client: null });
  }

  async #refreshDevices(): Promise<void> {
    this.#set({ devices: await listDevices() });
  }

  #set(change: Partial<SessionState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** The result of `work`, or a problem when it takes too long. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: number | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = window.setTimeout(
      () => reject(new Problem("The bot did not get ready. Look at its log, then connect again.")),
      milliseconds,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    window.clearTimeout(timer);
  }
}
