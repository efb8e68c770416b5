// A drawer for developers: latency, metrics and events. Only `npm run dev` shows it. Delete this file to
// remove the drawer: nothing else needs it.
import { RTVIEvent } from "@pipecat-ai/client-js";
import { usePipecatClientTransportState } from "@pipecat-ai/client-react";
import { useEffect, useState, useSyncExternalStore } from "react";

import { useSession } from "./Providers";
import type { Session } from "./session";

export default function Developer() {
  const { session } = useSession();
  const state = usePipecatClientTransportState();
  const [recorder] = useState(() => new Recorder());
  const [open, setOpen] = useState(false);
  useEffect(() => recorder.start(session), [recorder, session]);
  const recorded = useSyncExternalStore(recorder.subscribe, recorder.recorded, recorder.recorded);
  const latest = recorded.latencies.at(-1);
  return (
    <aside className="developer" aria-label="Developer">
      <style>{STYLE}</style>
      <button className="bar" type="button" aria-expanded={open} aria-controls="developer" onClick={() => setOpen(!open)}>
        <b>Developer</b> <span aria-hidden="true">{state}</span>
        <span aria-hidden="true">{latest !== undefined && `${latest} ms`}</span>
      </button>
      <div id="developer" className="sheet" hidden={!open}>
        {open && (
          <>
            <Latency latencies={recorded.latencies} />
            <Metrics metrics={recorded.metrics} />
            <Events events={recorded.events} onClear={recorder.clear} />
          </>
        )}
      </div>
    </aside>
  );
}

function Latency({ latencies }: { latencies: number[] }) {
  const latest = latencies.at(-1);
  const longest = Math.max(...latencies);
  return (
    <section>
      <h2>Latency</h2>
      <p className="big">{latest === undefined ? "–" : `${latest} ms`}</p>
      <p className="hint">{latencies.length ? `Median ${median(latencies)} ms, ${latencies.length} turns` : LATENCY_HINT}</p>
      <ol className="bars" aria-label="Latency of each turn">
        {latencies.slice(-15).map((latency, at) => {
          const style = { height: `${(100 * latency) / longest}%` };
          return (
            <li key={at} style={style} title={`${latency} ms`}>
              {latency} ms
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function Metrics({ metrics }: { metrics: Metric[] }) {
  return (
    <section>
      <h2>Metrics</h2>
      <div className="scroll" role="region" aria-label="Metrics" tabIndex={0}>
        <table>
          <tbody>
            {metrics.map(({ processor, measure, value }) => (
              <tr key={`${processor} ${measure}`}>
                <th scope="row">{processor}</th>
                <td>{measure}</td>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Events({ events, onClear }: { events: Entry[]; onClear: () => void }) {
  return (
    <section>
      <h2>
        Events
        <button className="quiet" type="button" aria-label="Clear events" onClick={onClear}>
          Clear
        </button>
      </h2>
      <div className="scroll" role="region" aria-label="Events" tabIndex={0}>
        <ol className="events">
          {events.map(({ id, at, name, data }) => (
            <li key={id}>
              <details>
                <summary>
                  <time>{time(at)}</time> {name}
                </summary>
                <pre>{details(data)}</pre>
              </details>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

/** The maximum number of events that are kept. */
const KEPT = 500;

/** Audio levels arrive many times a second, and the meters show them already. */
const LEFT_OUT: readonly string[] = [RTVIEvent.LocalAudioLevel, RTVIEvent.RemoteAudioLevel];

const LATENCY_HINT = "From the end of your turn to the bot's voice.";

const SECONDS = ["ttfb", "ttfa", "ttfat", "processing"];

interface Entry {
  id: number;
  at: Date;
  name: string;
  data: unknown;
}

interface Metric {
  processor: string;
  measure: string;
  value: string;
}

interface Recorded {
  /** For each turn, the milliseconds from the end of the user's speech to the bot's voice. */
  latencies: number[];
  /** The latest value of each processor. */
  metrics: Metric[];
  /** Newest first. */
  events: Entry[];
}

/** Records what the bot and the connection report. */
class Recorder {
  #recorded: Recorded = { latencies: [], metrics: [], events: [] };
  readonly #listeners = new Set<() => void>();
  #asked: number | undefined;
  #typed = "";
  #next = 0;

  readonly recorded = (): Recorded => this.#recorded;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Listens until the returned function is called. */
  readonly start = (session: Session): (() => void) => {
    const { client } = session;
    const heard = Object.values(RTVIEvent)
      .filter((name) => !LEFT_OUT.includes(name))
      .map((name) => [name, ((data: unknown) => this.#add(name, data)) as () => void] as const);
    for (const [name, listener] of heard) client.on(name, listener);
    const stop = session.subscribe(() => this.#noticeTyped(session));
    return () => {
      stop();
      for (const [name, listener] of heard) client.off(name, listener);
    };
  };

  readonly clear = (): void => this.#set({ latencies: [], metrics: [], events: [] });

  #add(name: RTVIEvent, data: unknown): void {
    const events = [{ id: this.#next++, at: new Date(), name, data }, ...this.#recorded.events].slice(0, KEPT);
    if (name === RTVIEvent.UserStoppedSpeaking) this.#asked = performance.now();
    if (name === RTVIEvent.UserStartedSpeaking || name === RTVIEvent.Disconnected) this.#asked = undefined;
    if (name === RTVIEvent.BotStartedSpeaking && this.#asked !== undefined) {
      const latencies = [...this.#recorded.latencies, Math.round(performance.now() - this.#asked)];
      this.#asked = undefined;
      this.#set({ events, latencies });
    } else if (name === RTVIEvent.Metrics) {
      this.#set({ events, metrics: merged(this.#recorded.metrics, data as Record<string, unknown>) });
    } else {
      this.#set({ events });
    }
  }

  /** Typed text starts a turn, too. */
  #noticeTyped(session: Session): void {
    const last = session.state().turns.at(-1);
    const typed = last?.typed ? `${last.id} ${last.parts.length}` : "";
    if (typed && typed !== this.#typed) this.#asked = performance.now();
    this.#typed = typed || this.#typed;
  }

  #set(change: Partial<Recorded>): void {
    this.#recorded = { ...this.#recorded, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** Adds new metrics to the known ones. The bot decides their form: unknown ones are ignored. */
function merged(known: Metric[], came: Record<string, unknown>): Metric[] {
  const all = new Map(known.map((metric) => [`${metric.processor} ${metric.measure}`, metric]));
  for (const [measure, items] of Object.entries(came)) {
    for (const item of Array.isArray(items) ? (items as Record<string, unknown>[]) : []) {
      const value = item["value"] ?? item[measure] ?? item["total_tokens"];
      if (typeof value !== "number") continue;
      const processor = typeof item["processor"] === "string" ? item["processor"] : "LLM";
      const shown = SECONDS.includes(measure) ? `${Math.round(value * 1000)} ms` : value.toLocaleString();
      all.set(`${processor} ${measure}`, { processor, measure, value: shown });
    }
  }
  return [...all.values()].sort((one, other) => one.processor.localeCompare(other.processor));
}

function median(numbers: number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function details(data: unknown): string {
  try {
    return data === undefined ? "" : JSON.stringify(data, null, 2);
  } catch {
    return String(data);
  }
}

function time(at: Date): string {
  return at.toTimeString().slice(0, 8) + "." + String(at.getMilliseconds()).padStart(3, "0");
}

const STYLE = `
  :root { --developer: 2.75rem; }
  :root:has(.developer .sheet:not([hidden])) { --developer: calc(2.75rem + min(20rem, 45dvh)); }
  @media (min-width: 60rem) { :root:has(.developer .sheet:not([hidden])) .orb { width: 7rem; } }
  .developer { position: fixed; inset: auto 0 0; z-index: 1; border-top: 1px solid var(--line); background: var(--panel); font-size: 0.8125rem; }
  .developer .bar { display: flex; align-items: center; gap: 1rem; width: 100%; min-height: 2.75rem; padding: 0 1rem; border: 0; border-radius: 0; background: none; color: var(--soft); font-size: inherit; font-weight: 500; text-align: start; }
  .developer .bar b { color: var(--text); font-weight: 600; }
  .developer .bar b::after { content: " \\25B4" / ""; }
  .developer .bar[aria-expanded="true"] b::after { content: " \\25BE" / ""; }
  .developer .bar span:last-child { margin-inline-start: auto; }
  .developer .sheet { display: grid; grid-template-columns: 12rem minmax(0, 1fr) minmax(0, 1.4fr); gap: 1.5rem; height: min(20rem, 45dvh); padding: 0 1rem 1rem; }
  .developer section { display: flex; flex-direction: column; min-width: 0; min-height: 0; }
  .developer h2 { display: flex; align-items: center; justify-content: space-between; min-height: 2rem; font-size: 0.8125rem; }
  .developer .big { font-size: 1.75rem; font-weight: 600; line-height: 1.2; font-variant-numeric: tabular-nums; }
  .developer .bars { display: flex; align-items: flex-end; gap: 3px; height: 4rem; margin-top: 0.75rem; list-style: none; }
  .developer .bars li { flex: 0 1 0.75rem; min-height: 2px; border-radius: 2px 2px 0 0; background: var(--bot); overflow: hidden; text-indent: 2rem; white-space: nowrap; }
  .developer .scroll { flex: 1; min-height: 0; overflow: auto; }
  .developer table { width: 100%; border-collapse: collapse; }
  .developer :is(th, td) { padding: 0.1875rem 0.5rem 0.1875rem 0; text-align: start; font-weight: 400; overflow-wrap: anywhere; }
  .developer th { color: var(--soft); }
  .developer td:last-child { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
  .developer .events { list-style: none; font-family: ui-monospace, monospace; font-size: 0.75rem; }
  .developer summary { padding: 0.1875rem 0; cursor: pointer; }
  .developer time { color: var(--soft); }
  .developer pre { margin: 0; padding: 0.5rem; border-radius: 0.5rem; background: var(--raised); font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }
  @media (max-width: 59.99rem) {
    .developer .sheet { display: flex; flex-direction: column; gap: 1rem; overflow: auto; }
    .developer section { flex: none; }
    .developer .scroll { flex: none; max-height: 16rem; }
  }
`;
