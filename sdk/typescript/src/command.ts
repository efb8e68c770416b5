// Commands, command groups, and their entries in the manifest.

import { type Arguments, candidates, longName, snake, valueName, type Values } from './arguments.js';
import type { Session } from './session.js';

/** The result of a command: text for the user, data for `--json`, and commands to run next. A string serves as both text and data. */
export type Outcome = string | void | { text?: string; data?: unknown; exit?: number; next?: string[] };

interface Shared {
  about: string;
  /** Replaces `about` in full help. */
  details?: string;
  hidden?: boolean;
}

export interface Command<A extends Arguments = Arguments> extends Shared {
  arguments?: A;
  /** Whether the command needs the user's terminal. If so, the host starts it with the user's arguments and streams. */
  direct?: boolean;
  /** The JSON Schema of `data`. */
  result?: object;
  run(values: Values<A>, session: Session): Outcome | Promise<Outcome>;
}

export interface Group extends Shared {
  commands: Record<string, Command | Group>;
}

/** Declares a command and infers the types of its arguments. */
export const command = <const A extends Arguments>(command: Command<A>): Command => command as Command;
export const group = (group: Group): Group => group;
export const isGroup = (node: Command | Group): node is Group => 'commands' in node;
export const declared = (node: Command | Group) => Object.entries(isGroup(node) ? {} : (node.arguments ?? {}));

export function describe(name: string, node: Command | Group): object {
  const { about, details, hidden } = node;
  const shared = { name, about, details, hidden };
  if (isGroup(node)) return { ...shared, commands: Object.entries(node.commands).map(([name, node]) => describe(name, node)) };
  const described = declared(node).map(([key, argument]) => {
    const { kind, settings } = argument;
    const { parse: _, values, completion, ...same } = settings;
    return {
      name: snake(key),
      kind,
      ...same,
      ...(kind !== 'positional' && { long: longName(key, argument) }),
      ...(kind !== 'flag' && { value_name: valueName(key) }),
      ...(values && { values: candidates(values) }),
      completion: typeof completion === 'function' ? 'dynamic' : completion,
    };
  });
  return { ...shared, direct: node.direct, arguments: described, result: node.result };
}
