// Interaction with the user while a command runs: questions, progress and messages.

import { execFile } from 'node:child_process';
import { cancelled, ErrorReply, Failure, type Field, type Reply } from './failure.js';
import type { HostOptions } from './parse.js';
import { type Answers, Question } from './question.js';

/** The connection to the host during a request. */
export interface Link {
  /** Whether the user has answered a password question. If so, errors are not printed. */
  isSecret?: boolean;
  notify(method: string, params: object): void;
  /** Returns the reply, or `undefined` if the input has ended or the request was cancelled. */
  request(method: string, params: object): Promise<Reply | undefined>;
  /** Starts or stops protecting the command from termination. */
  guard(isGuarded: boolean): void;
  /** Returns the capabilities to use when the plugin is run directly with these options. */
  offer?(options: HostOptions): Capabilities;
}

type Preferences = { color: 'always' | 'never'; width: number; format: 'text' | 'json'; verbosity: number; quiet: boolean };
/** The user's working directory, project, terminal and preferences. */
export type Context = Preferences & { cwd: string; project?: string; interactive: boolean; terminal: boolean };

/** The description of a bot project. */
export interface Project {
  root: string;
  /** The folder of `bot.py`. */
  bot: string;
  /** The file that records the project's options. */
  record: string;
  name: string;
  options: Record<string, unknown>;
  services: Service[];
  transports: string[];
  /** The deployment environments; `name` is `null` for the project's own. */
  environments: { name: string | null; file: string | null; agent: string; secret_set: string }[];
  [member: string]: unknown;
}

/** A service in a project; `kind` is `stt`, `llm`, `tts` and so on. */
export interface Service {
  id: string;
  kind: string;
  label: string;
  variables: string[];
  address: string | null;
  packages: string[];
}

const LEVELS = { warn: 0, note: 0, info: 1, debug: 2 };
type Level = keyof typeof LEVELS;

const PREFERENCES: Preferences = { color: 'never', width: 100, format: 'text', verbosity: 0, quiet: false };

export type Capabilities = { ask?: { kinds?: string[] }; stdin?: object; output?: object; progress?: object };
type Params = { answers?: Record<string, unknown>; capabilities?: Capabilities; context?: Partial<Context> };

export class Session {
  /** Output to prepend to the result, because the host can't show it immediately. */
  held = '';
  /** The command that shows help. */
  usage = '';
  readonly context: Context;

  /** `signal` is aborted when the user cancels. Pass it to `fetch`, timers and child processes. */
  constructor(private readonly link: Link, readonly signal: AbortSignal, private readonly params: Params) {
    this.context = { ...PREFERENCES, cwd: process.cwd(), interactive: false, terminal: false, ...params.context };
  }

  /** Applies the host options found in `argv`. */
  adapt(options: HostOptions): void {
    this.params.capabilities = this.link.offer?.(options) ?? this.params.capabilities ?? {};
    if (options.json) this.context.format = 'json';
    if (options.quiet) this.context.quiet = true;
    this.context.verbosity += options.verbosity;
  }

  /** Shows the command's progress, at a terminal or with `--json=lines`. */
  progress(message: string, current?: number, total?: number): void {
    if (!this.context.quiet) this.link.notify('progress', { message, current, total });
  }

  /** Shows a message: `warn` always, `note` unless `-q` is given, `info` with `-v`, `debug` with `-vv`. `data` is for `--json=lines`. */
  log(level: Level, message: string, data?: unknown): void {
    const { verbosity, quiet } = this.context;
    if (verbosity >= LEVELS[level] && !(quiet && level === 'note')) this.link.notify('log', { level, message, data: this.wanted(data) });
  }

  /** Shows part of the result immediately. `data` is for `--json=lines`. */
  output(text: string, data?: unknown): void {
    if (this.params.capabilities?.output) this.link.notify('output', { text, data: this.wanted(data) });
    else this.held += text;
  }

  private wanted(data: unknown): unknown {
    return this.context.format === 'json' ? data : undefined;
  }

  /** Returns the description of the user's bot project, as `bot-cli init --describe --json` prints it. */
  project(): Promise<Project> {
    return project(this.context.project ?? this.context.cwd, this.signal);
  }

  /** Returns the user's piped input. */
  async stdin(): Promise<Uint8Array> {
    if (!this.params.capabilities?.stdin) throw new Failure('usage', 'no_stdin', 'there is no standard input to read');
    const reply = await this.link.request('stdin', {});
    if (!reply) throw cancelled();
    if ('error' in reply) throw new Failure('usage', 'input_too_large', reply.error.message);
    const { text = '', base64 } = reply.result as { text?: string; base64?: string };
    return base64 === undefined ? Buffer.from(text) : Buffer.from(base64, 'base64');
  }

  /** Lets a step finish even if the user cancels, so that it is not left half done. */
  async guard<T>(step: () => T | Promise<T>): Promise<T> {
    this.link.guard(true);
    try {
      return await step();
    } finally {
      this.link.guard(false);
    }
  }

  /**
   * Asks questions in order, and lets the user go back. Values that are not questions are returned unchanged. If the user can't be asked,
   * uses the defaults, or fails with a list of all unanswered questions.
   */
  async ask<const Q extends Record<string, unknown>>(questions: Q): Promise<Answers<Q>> {
    const { answers = {}, capabilities } = this.params;
    const found: Record<string, unknown> = { ...questions };
    const asked: [string, Question<unknown>][] = [];
    const fields: Field[] = [];
    const inputs: object[] = [];
    for (const [key, question] of Object.entries(questions)) {
      if (!(question instanceof Question)) continue;
      const { default: preset, flag } = question.settings;
      const fail = (problem: string) => fields.push({ field: key, ...(flag && { flag }), problem });
      this.link.isSecret ||= question.kind === 'password';
      if (Object.hasOwn(answers, key)) {
        const problem = question.problem(answers[key]);
        if (problem) fail(problem);
        found[key] = answers[key];
      } else if (capabilities?.ask?.kinds?.includes(question.kind)) asked.push([key, question]);
      else if (question.accepts(preset)) found[key] = preset;
      else if (fail('missing')) inputs.push(question.wire(key));
    }
    if (fields.length > 0) throw unanswered(fields, inputs, this.usage);
    let problem: string | undefined;
    for (let at = 0, next = asked[0]; next; next = asked[at]) {
      const [key, question] = next;
      const before = question.kind !== 'password' && question.accepts(found[key]) ? { default: found[key] } : {};
      const reply = await this.link.request('ask', question.wire(key, { ...before, back: at > 0, problem }));
      const { action, value } = (reply && 'result' in reply ? reply.result : {}) as { action?: string; value?: unknown };
      const isBack = action === 'back' && at > 0;
      if (!isBack && action !== 'accept') throw cancelled();
      problem = isBack ? undefined : question.problem(value);
      if (isBack) at -= 1;
      else if (!problem) [found[key], at] = [value, at + 1];
    }
    return found as Answers<Q>;
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns the failure for missing or invalid answers. */
function unanswered(fields: Field[], inputs: object[], usage: string): Failure {
  const invalid = fields.filter(({ problem }) => problem !== 'missing');
  const message = invalid.map(({ field, problem }) => `\`${field}\` ${problem}`).join('; ');
  if (message) return new Failure('usage', 'invalid_input', message, { fields });
  const flags = fields.flatMap(({ flag }) => flag ?? []);
  const hints = flags.length > 0 ? [`answer with ${flags.join(', ')}`] : usage ? [usage] : [];
  const what = fields.length === 1 ? `\`${fields[0]?.flag ?? fields[0]?.field}\` is missing` : `${fields.length} answers are missing`;
  const data = { fields, hints, inputs };
  return new Failure('usage', 'input_required', `${what}, and there is no terminal to ask on`, data);
}

/** Returns the description of the bot project that contains a folder: by default the current one, as in a completion function. */
export async function project(folder = process.cwd(), signal?: AbortSignal): Promise<Project> {
  const words = ['init', '--describe', '--json', folder];
  const options = { ...(signal && { signal }), maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    const child = execFile(process.env.BOT_CLI_HOST || 'bot-cli', words, options, (error, stdout) => {
      if (signal?.aborted) return reject(cancelled());
      const document = parsed(stdout);
      if (!error && document) return resolve(document as unknown as Project);
      const { code, message, ...data } = (document?.error ?? {}) as { code?: string; message?: string };
      const status = typeof error?.code === 'number' ? error.code : 1;
      const ended = typeof error?.code === 'string' ? `could not be started: ${error.code}` : `ended with status ${status}`;
      reject(new ErrorReply(status, message ?? `\`bot-cli init --describe\` ${ended}`, { code: code ?? 'failed', ...data }));
    });
    child.stdin?.end();
  });
}
