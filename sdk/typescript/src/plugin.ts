// Plugins: a manifest and the methods that serve requests.

import type { Arguments } from './arguments.js';
import { type Command, describe, type Group, isGroup } from './command.js';
import { complete } from './complete.js';
import { ErrorReply } from './failure.js';
import { help } from './help.js';
import { read, values } from './parse.js';
import type { Session } from './session.js';

export type Method = (params: Record<string, unknown>, session: Session) => Promise<object>;

export interface Plugin {
  readonly manifest: About;
  readonly methods: Record<string, Method>;
  /** Whether requests depend on earlier ones. If so, the worker is never replaced, and unexpected errors are not printed. */
  readonly isStateful?: boolean;
}

export type About = { name: string; version: string; about: string };

/** Declares a plugin with one command or a group of commands. `name` is the `NAME` in `bot-cli NAME`. */
export function plugin<const A extends Arguments>(settings: About & (Command<A> | Group)): Plugin {
  const root = settings as Command | Group;
  const { name, version, about } = settings;
  const run: Method = async (params, session) => {
    const reading = read(name, root, argv(params));
    const { node, asked, problems, host } = reading;
    session.adapt(host);
    if (asked === 'version') return { text: `bot-cli ${name} ${version}\n`, data: { name, version } };
    if (asked === 'help' || (isGroup(node) && problems.length === 0)) return { text: help(reading), data: { help: help(reading) } };
    const given = values(reading);
    session.usage = `${reading.path.join(' ')} --help`;
    const outcome = (isGroup(node) ? undefined : await node.run(given, session)) ?? {};
    const result = typeof outcome === 'string' ? { text: outcome, data: outcome.trimEnd() } : outcome;
    return { ...result, text: session.held + (result.text ?? '') };
  };
  return {
    manifest: plain({ protocol: '1.0', name, version, about, command: describe(name, root) }),
    methods: { run, complete: async (params) => ({ candidates: await complete(name, root, argv(params)) }) },
  };
}

/** Drops undefined members, as JSON serialization does. */
export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

function argv({ argv }: Record<string, unknown>): string[] {
  if (Array.isArray(argv) && argv.every((word) => typeof word === 'string')) return argv;
  throw new ErrorReply(-32602, '`params.argv` must be a list of texts');
}
