// Completes the word that the user is typing.

import { type Argument, type Candidate, candidates, longName } from './arguments.js';
import { type Command, declared, type Group } from './command.js';
import { read } from './parse.js';

export async function complete(name: string, root: Command | Group, words: readonly string[]): Promise<Candidate[]> {
  const before = words.slice(0, -1);
  const { node, open, given } = read(name, root, before);
  const [typed = '', prefix = '', start = ''] = /^(--[^=]+=|)(.*)$/s.exec(words.at(-1) ?? '') ?? [];
  const isMeant = ([key, argument]: [string, Argument]) =>
    prefix ? prefix === `--${longName(key, argument)}=` : argument.kind === 'positional' && (argument.settings.repeatable || !given[key]);
  const isName = typed.startsWith('-') && !prefix;
  const [, argument] = open ?? (isName ? undefined : declared(node).find(isMeant)) ?? [];
  const { completion, values } = argument?.settings ?? {};
  const more = typeof completion === 'function' ? await completion([...before, start]) : [];
  const found = [...candidates(values), ...candidates(more)].filter(({ value }) => value.startsWith(start));
  return found.map((candidate) => ({ ...candidate, value: prefix + candidate.value }));
}
