import { LogLevel, PipecatClient, RTVIEvent, RTVIMessage, RTVIMessageType, logger, type RTVIEventCallbacks } from "@pipecat-ai/client-js";

import { Attempt } from "./attempt";
import { Conversation } from "./conversation";
import { listDevices, NO_DEVICES, onDevicesChanged, openDevice } from "./devices";
import { CAMERA } from "./features";
import { Heartbeat, type Pulse } from "./heartbeat";
import type { OwnMedia } from "./media";
import { closedInOrder, explain, problem, Problem } from "./problems";
import { Relay } from "./relay";
import { read, save } from "./remembered";
import { OFFERED } from "./settings";
import { Speaker } from "./speaker";
import { startBot, START_URL } from "./start";
import type { Activity, SessionActions, SessionState, TalkMode } from "./state";
import { statusOf } from "./status";
import { TRANSPORTS, type LoadedTransport, type TransportChoice } from "./transports";
import { fitVisible } from "./viewport";

/** The time limit from the first request until the bot is ready. */
const PATIENCE_MS = 45_000;

const ENDED_BY_BOT = "The bot ended the conversation";

/** One conversation at a time with the bot. Only the session opens and closes devices and connections; subscribers learn of each change. */
export class Session implements SessionActions {
  /** The initial state, which a server renders. */
  readonly initial: () => SessionState;
  /** The same object for as long as the page is open. */
  readonly client: PipecatClient;
  readonly #relay: Relay;
  readonly #conversation = new Conversation();
  readonly #listeners = new Set<() => void>();
  readonly #speaker: Speaker | undefined;
  #state: SessionState;
  /** The current attempt. Events of earlier ones are ignored. */
  #attempt: Attempt | undefined;
  #media: OwnMedia | undefined;
  #userSpeaks = false;
  #heartbeat: Heartbeat | undefined;
  /** Whether the bot has spoken since its last problem. */
  #hasSpoken = false;
  /** The number of device changes requested: only the last one counts. */
  readonly #asked = { audio: 0, video: 0 };

  constructor() {
    logger.setLevel(LogLevel.ERROR);
    this.#relay = new Relay({
      enableMic: (on) => this.#change({ microphoneOn: on }),
      enableCam: (on) => this.#change({ cameraOn: on }),
      updateMic: (id) => this.chooseMicrophone(id),
      updateCam: (id) => this.chooseCamera(id),
      updateSpeaker: (id) => this.chooseSpeaker(id),
      ended: () => this.#dismissed(),
      message: (message) => this.#message(message),
    });
    const inBrowser = "document" in globalThis;
    // Only browsers need a client.
    this.client = inBrowser
      ? new PipecatClient({ transport: this.#relay, enableMic: true, enableCam: false, callbacks: this.#callbacks() })
      : (undefined as unknown as PipecatClient);
    const initial: SessionState = {
      phase: "idle",
      activity: "quiet",
      status: "Not connected",
      problem: null,
      transport: OFFERED[0] ?? (TRANSPORTS[0] as TransportChoice),
      devices: NO_DEVICES,
      microphone: "",
      camera: "",
      speaker: "",
      volume: 1,
      microphoneOn: true,
      hearing: false,
      cameraOn: true,
      talkMode: "open",
      holding: false,
      turns: [],
      client: this.client,
      ownAudio: null,
      botAudio: null,
      ownVideo: null,
      botVideo: null,
    };
    this.initial = () => initial;
    this.#state = initial;
    if (!inBrowser) return;

    this.#speaker = new Speaker();
    this.#recall();
    fitVisible();
    onDevicesChanged(() => void this.#refreshDevices());
    void this.#refreshDevices();
    // Leaving the page ends the conversation. Hiding it releases a key that is still held.
    window.addEventListener("pagehide", () => void this.disconnect());
    document.addEventListener("visibilitychange", () => document.hidden && this.hold(false));
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState => this.#state;

  readonly press = ({ detail }: { detail: number }): void => {
    if (detail > 1) return;
    void (this.#state.phase === "idle" ? this.connect() : this.disconnect());
  };

  readonly connect = async (): Promise<void> => {
    if (this.#state.phase !== "idle") return;
    const attempt = new Attempt();
    this.#attempt = attempt;
    this.#conversation.begin();
    this.#userSpeaks = false;
    this.#set({ phase: "connecting", status: "Loading…", problem: null, microphoneOn: true, cameraOn: true });
    try {
      await this.#start(attempt);
    } catch (error) {
      await this.#end(attempt, "Not connected", explain(error));
    }
  };

  readonly disconnect = async (): Promise<void> => {
    await this.#end(this.#attempt, "Disconnected");
  };

  readonly chooseTransport = (key: string): void => {
    const transport = OFFERED.find((offered) => offered.key === key);
    if (!transport || this.#state.phase !== "idle") return;
    save({ transport: key });
    this.#set({ transport });
  };

  readonly chooseMicrophone = (id: string): void => {
    save({ microphone: id });
    this.#set({ microphone: id });
    void this.#exchange("audio", id);
  };

  readonly chooseCamera = (id: string): void => {
    save({ camera: id });
    this.#set({ camera: id });
    void this.#exchange("video", id);
  };

  readonly chooseSpeaker = (id: string): void => {
    save({ speaker: id });
    this.#set({ speaker: id });
    void this.#speaker?.choose(id);
  };

  readonly setVolume = (volume: number): void => {
    save({ volume });
    this.#set({ volume });
    this.#speaker?.setVolume(volume);
  };

  readonly switchMicrophone = (): void => this.#change({ microphoneOn: !this.#state.microphoneOn });

  readonly switchCamera = (): void => this.#change({ cameraOn: !this.#state.cameraOn });

  readonly chooseTalkMode = (talkMode: TalkMode): void => {
    save({ talkMode });
    this.#change({ talkMode, holding: false });
  };

  readonly hold = (on: boolean): void => {
    if (this.#state.talkMode === "push" && on !== this.#state.holding) this.#change({ holding: on });
  };

  readonly sendText = (text: string): boolean => {
    const words = text.trim();
    if (words === "" || this.#state.phase !== "ready") return false;
    void this.client.sendText(words, { run_immediately: true, audio_response: true });
    this.#conversation.userTyped(words);
    this.#set({ turns: this.#conversation.turns });
    return true;
  };

  readonly clear = (): void => {
    this.#conversation.clear();
    this.#set({ turns: [] });
  };

  readonly reload = async (): Promise<void> => {
    const answers = await fetch(location.href, { cache: "no-store" }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answers) location.reload();
    else this.#set({ problem: problem("page", { reload: true }) });
  };

  readonly dismiss = (): void => this.#set({ problem: null });

  async #start(attempt: Attempt): Promise<void> {
    const { transport } = this.#state;
    const loaded = await attempt.step(transport.load(attempt.signal));
    attempt.own(() => this.client.disconnect());
    await this.#openDevices(attempt, loaded);

    this.#set({ status: "Starting the bot…" });
    attempt.limit(PATIENCE_MS, problem("start", { details: "The bot did not get ready in time. Its log says why." }));
    this.#relay.attach(loaded.transport, attempt.signal, { enableCam: CAMERA && transport.video && !loaded.media });
    await attempt.step(this.client.initDevices());
    if (!loaded.media) this.#chooseOwn(loaded);
    loaded.transport.state = "authenticating";
    // The transport derives the session's address from this one.
    loaded.transport.startBotParams = { endpoint: START_URL };
    const started = await attempt.step(startBot(transport, attempt.signal));
    loaded.transport.state = "authenticated";
    this.client.emit(RTVIEvent.BotStarted, started);

    this.#set({ status: "Connecting to the bot…" });
    await attempt.step(this.client.connect(loaded.connection ? loaded.connection(started) : started));
    attempt.arrived();
    this.#watch(attempt, loaded);
    this.#change({ phase: "ready", activity: this.#state.activity === "quiet" ? "listening" : this.#state.activity });
    this.#showOwn(loaded.media);
  }

  /** Opens the microphone, which is required, and the camera, which is not. */
  async #openDevices(attempt: Attempt, { media }: LoadedTransport): Promise<void> {
    const { transport, microphone, camera } = this.#state;
    if (media) {
      this.#media = media;
      attempt.own(() => media.close());
    }
    this.#set({ status: "Asking for the microphone…" });
    // A transport that opens devices by itself reports less about failures.
    const keep = (kind: "audio" | "video", track: MediaStreamTrack) => (media ? media.use(kind, track) : track.stop());
    keep("audio", await attempt.step(openDevice("audio", microphone), stop));
    if (media?.microphone) this.#watchMicrophone(attempt, media.microphone);
    if (CAMERA && transport.video) {
      this.#set({ status: "Asking for the camera…" });
      try {
        keep("video", await attempt.step(openDevice("video", camera), stop));
      } catch (error) {
        attempt.signal.throwIfAborted();
        this.#set({ cameraOn: false, problem: inConversation(error, " The conversation goes on without your picture.") });
      }
    }
    await attempt.step(this.#refreshDevices());
    // The user may have chosen others while the first ones were being opened.
    if (this.#state.microphone !== microphone) await this.#exchange("audio", this.#state.microphone);
    if (this.#state.camera !== camera) await this.#exchange("video", this.#state.camera);
  }

  /** Tells a transport that opens devices by itself which ones to use. */
  #chooseOwn({ transport }: LoadedTransport): void {
    const { microphone, camera } = this.#state;
    if (microphone) transport.updateMic(microphone);
    if (camera && CAMERA && this.#state.transport.video) transport.updateCam(camera);
  }

  #showOwn(media?: OwnMedia): void {
    const { audio, video } = media ? { audio: media.microphone, video: media.camera } : this.client.tracks().local;
    this.#set({ ownAudio: audio ?? null, ownVideo: (CAMERA && video) || null });
  }

  /** Replaces the device in use, which stays if the other one can't be opened. */
  async #exchange(kind: "audio" | "video", id: string): Promise<void> {
    const attempt = this.#attempt;
    const media = this.#media;
    const asked = (this.#asked[kind] += 1);
    if (!attempt) return;
    if (!media) {
      if (kind === "audio") this.#relay.current?.updateMic(id);
      else this.#relay.current?.updateCam(id);
      return;
    }
    // The first one is still being opened: the change follows.
    if (!media.microphone) return;
    if (!media.canReplace()) return this.#change({ problem: new Problem("The other device is used when you connect again.") });
    try {
      const device = await attempt.step(openDevice(kind, id), stop);
      if (asked !== this.#asked[kind]) return stop(device);
      media.use(kind, device);
      if (kind === "audio") this.#watchMicrophone(attempt, device);
      this.#change({ problem: null, ...(kind === "video" && { cameraOn: true }) });
      if (this.#state.phase !== "connecting") this.#showOwn(media);
    } catch (error) {
      if (attempt !== this.#attempt) return;
      const gone = kind === "audio" && media.microphone.readyState === "ended";
      this.#change({ problem: inConversation(error), ...(gone && { microphoneOn: false }) });
    }
  }

  /** Switches to the default microphone when the one in use is unplugged. */
  #watchMicrophone(attempt: Attempt, microphone: MediaStreamTrack): void {
    microphone.addEventListener("ended", () => {
      if (attempt === this.#attempt && this.#media?.microphone === microphone) void this.#exchange("audio", "");
    });
  }

  #callbacks(): RTVIEventCallbacks {
    const now = (change: Partial<SessionState>) => this.#attempt && this.#set(change);
    const activity = (next: Activity) => this.#attempt && this.#change({ activity: next });
    return {
      onConnected: () => now({ status: "Waiting for the bot…" }),
      onBotDisconnected: () => this.#ended(),
      onDisconnected: () => this.#ended(),
      onError: (message) => this.#failed(message),
      onBotStartedSpeaking: () => {
        this.#hasSpoken = true;
        activity("speaking");
      },
      onBotStoppedSpeaking: () => activity(this.#userSpeaks ? "hearing" : "listening"),
      onUserStartedSpeaking: () => {
        this.#userSpeaks = true;
        activity("hearing");
      },
      onUserStoppedSpeaking: () => {
        this.#userSpeaks = false;
        activity("thinking");
      },
      onUserTranscript: ({ text, final }) => {
        this.#conversation.userSaid(text, final);
        now({ turns: this.#conversation.turns });
      },
      onBotOutput: (said) => {
        this.#conversation.botSaid(said);
        now({ turns: this.#conversation.turns });
      },
      onTrackStarted: (track, participant) => {
        if (participant?.local) return;
        now(track.kind === "audio" ? { botAudio: track } : { botVideo: track });
      },
      onTrackStopped: (track) => {
        const { botAudio, botVideo } = this.#state;
        now({ botAudio: botAudio === track ? null : botAudio, botVideo: botVideo === track ? null : botVideo });
      },
    };
  }

  #message({ type }: RTVIMessage): void {
    this.#heartbeat?.heard(type);
    // The client has not seen this one yet.
    if (type !== "bot-interrupted") return;
    void this.#media?.userStartedSpeaking();
    this.#conversation.interrupt();
    this.#set({ turns: this.#conversation.turns });
  }

  #failed(message: RTVIMessage): void {
    const { error, message: text, fatal } = message.data as { error?: string; message?: string; fatal?: boolean };
    const reason = error ?? text ?? "no reason was given";
    if (!this.#attempt) return;
    if (!fatal) {
      // Of several problems, the first is the cause of the others.
      if (this.#hasSpoken || !this.#state.problem) this.#set({ problem: problem("fault", { details: reason }) });
      this.#hasSpoken = false;
    } else if (this.#state.phase === "connecting") void this.#end(this.#attempt, "Not connected", explain(new Error(reason)));
    else if (closedInOrder(reason)) void this.#end(this.#attempt, ENDED_BY_BOT);
    else void this.#end(this.#attempt, "Not connected", problem("lost", { details: reason }));
  }

  /** Handles the end of the connection by the other side. */
  #ended(): void {
    const { phase } = this.#state;
    if (phase === "ready") void this.#end(this.#attempt, ENDED_BY_BOT);
    else if (phase === "reconnecting") void this.#end(this.#attempt, "Not connected", problem("lost"));
  }

  /** Handles a disconnect that the session did not ask for. */
  #dismissed(): void {
    const attempt = this.#attempt;
    // The client disconnects by itself after a failed start, whose error is shown first.
    if (this.#state.phase === "connecting") setTimeout(() => void this.#end(attempt, "Disconnected"));
    else void this.#end(attempt, "Disconnected");
  }

  /** Watches the bot until the end of the attempt. */
  #watch(attempt: Attempt, { media }: LoadedTransport): void {
    const ping = () => {
      media?.renew();
      // Not through the client, which would report a broken line at each ping.
      this.#relay.sendMessage(new RTVIMessage(RTVIMessageType.CLIENT_MESSAGE, { t: "ping" }));
    };
    const heartbeat = new Heartbeat(ping, (pulse) => this.#felt(attempt, pulse));
    this.#heartbeat = heartbeat;
    attempt.own(heartbeat.stop);
  }

  #felt(attempt: Attempt, pulse: Pulse): void {
    if (attempt !== this.#attempt) return;
    if (pulse === "alive") this.#change({ phase: "ready", activity: "listening" });
    else if (pulse === "silent") this.#change({ phase: "reconnecting", activity: "quiet" });
    else void this.#end(attempt, "Not connected", problem("silent"));
  }

  async #end(attempt: Attempt | undefined, status: string, problem: Problem | null = null): Promise<void> {
    if (!attempt || attempt !== this.#attempt) return;
    this.#attempt = undefined;
    this.#media = undefined;
    const ending = attempt.end();
    this.#conversation.interrupt();
    this.#set({
      phase: "closing",
      activity: "quiet",
      status: "Disconnecting…",
      problem,
      turns: this.#conversation.turns,
      hearing: false,
      holding: false,
      ownAudio: null,
      botAudio: null,
      ownVideo: null,
      botVideo: null,
    });
    await ending;
    this.#set({ phase: "idle", status });
  }

  /** Applies a change that decides whether the bot hears and sees the user. */
  #change(change: Partial<SessionState>): void {
    const next = { ...this.#state, ...change };
    const { microphoneOn, talkMode, holding, cameraOn } = next;
    const on = microphoneOn && (talkMode === "open" || holding);
    const hearing = on && next.phase === "ready";
    this.#relay.current?.enableMic(on);
    if (CAMERA && next.transport.video) this.#relay.current?.enableCam(cameraOn);
    this.#set({ ...change, hearing, status: statusOf({ ...next, hearing }) });
  }

  #recall(): void {
    const { transport, microphone = "", camera = "", speaker = "", volume = 1, talkMode } = read();
    const known = OFFERED.find((offered) => offered.key === transport);
    this.#set({ ...(known && { transport: known }), microphone, camera, speaker, volume, talkMode: talkMode === "push" ? "push" : "open" });
    this.#speaker?.setVolume(volume);
    void this.#speaker?.choose(speaker);
  }

  async #refreshDevices(): Promise<void> {
    this.#set({ devices: await listDevices() });
  }

  #set(change: Partial<SessionState>): void {
    this.#state = { ...this.#state, ...change };
    this.#speaker?.play(this.#state.botAudio);
    for (const listener of this.#listeners) listener();
  }
}

function stop(track: MediaStreamTrack): void {
  track.stop();
}

/** Describes the failure of a device in a conversation that goes on. */
function inConversation(error: unknown, more = ""): Problem {
  const { message, details } = explain(error);
  return new Problem(message.replace(/, then connect again\.$/, ", then choose it again.") + more, { details });
}
