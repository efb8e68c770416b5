// Parses the command line into a command and the values of its arguments.

import { parseArgs } from 'node:util';
import { type Argument, candidates, longName, snake } from './arguments.js';
import { type Command, declared, type Group, isGroup } from './command.js';
import { Failure, type Field } from './failure.js';

/** The result of parsing. */
export interface Reading {
  /** `bot-cli`, the plugin's name, and the names of the commands. */
  path: string[];
  node: Command | Group;
  /** The text values given for each argument. */
  given: Record<string, string[]>;
  asked?: 'help' | 'version';
  /** The last option, if its value is missing. */
  open?: [string, Argument];
  problems: string[];
  host: HostOptions;
}

/** Options that a host may leave in `argv`. */
export interface HostOptions {
  json?: 'document' | 'lines';
  verbosity: number;
  quiet: boolean;
}

type Option = { type: 'string' | 'boolean'; short?: string; found: [string, Argument] };
type Token = { name: string; rawName: string; value?: string | undefined };

export function read(name: string, root: Command | Group, words: readonly string[]): Reading {
  const reading: Reading = { path: ['bot-cli', name], node: root, given: {}, problems: [], host: { verbosity: 0, quiet: false } };
  const early: string[] = [];
  let rest = [...words];
  for (let word = rest[0]; isGroup(reading.node) && word && word !== '--'; word = rest[0]) {
    rest = rest.slice(1);
    if (word.startsWith('-')) early.push(word);
    else choose(reading, reading.node, word);
  }
  for (const token of tokens(early, {})) if (token.kind === 'option') take(reading, undefined, token);
  const named = declared(reading.node).filter(([, { kind }]) => kind !== 'positional');
  const known = named.map(([key, argument]): [string, Option] => {
    const { kind, settings: { short } } = argument;
    return [longName(key, argument), { found: [key, argument], type: kind === 'flag' ? 'boolean' : 'string', ...(short && { short }) }];
  });
  const options = Object.fromEntries(known);
  for (const token of tokens(rest, options)) {
    if (token.kind === 'positional') place(reading, token.value);
    else if (token.kind === 'option') take(reading, options[token.name]?.found, token);
  }
  return reading;
}

const tokens = (args: string[], options: Record<string, Option>) =>
  parseArgs({ args, options, strict: false, tokens: true, allowPositionals: true }).tokens;

/** Quotes a word only if it looks like a name; anything else could be a misplaced secret. */
const quoted = (word: string) =>
  /^-{0,2}[a-z]+(-[a-z]+)*$/.test(word) && word.length <= 32 ? ` \`${word}\`` : ', which is not shown because it may be a secret';

const give = ({ given }: Reading, key: string, value: string) => (given[key] = [...(given[key] ?? []), value]);

function choose(reading: Reading, { commands }: Group, word: string): void {
  const found = Object.entries(commands).find(([name]) => name === word);
  if (found) [reading.path[reading.path.length], reading.node] = found;
  else reading.problems.push(`\`${reading.path.join(' ')}\` has no such command${quoted(word)}`);
}

/** Assigns a value to the next positional argument. */
function place(reading: Reading, word: string): void {
  const all = declared(reading.node).filter(([, { kind }]) => kind === 'positional');
  const next = all.find(([key, { settings }]) => settings.repeatable || !reading.given[key]);
  if (next) give(reading, next[0], word);
  else reading.problems.push(`unexpected argument${quoted(word)}`);
}

function take(reading: Reading, found: Option['found'] | undefined, { name, rawName, value }: Token): void {
  const { host } = reading;
  if (!found) {
    if (name === 'help' || name === 'h') reading.asked ??= 'help';
    else if (name === 'version' || name === 'V') reading.asked ??= 'version';
    else if (name === 'json' && [undefined, 'lines'].includes(value)) host.json = value === 'lines' ? value : (host.json ?? 'document');
    else if (name === 'json') reading.problems.push('`--json` takes no value but `lines`');
    else if (['verbose', 'v'].includes(name) && value === undefined) host.verbosity += 1;
    else if (['quiet', 'q'].includes(name) && value === undefined) host.quiet = true;
    else reading.problems.push(`unexpected argument${quoted(rawName)}`);
  } else if (found[1].kind === 'flag') {
    give(reading, found[0], '');
    if (value !== undefined) reading.problems.push(`\`${rawName}\` takes no value`);
  } else if (value === undefined) reading.open = found;
  else give(reading, found[0], value);
}

/** Returns the values of a command's arguments, or fails with a list of all problems. */
export function values({ node, given, open, path, problems }: Reading): Record<string, unknown> {
  const fields: Field[] = [];
  const called = (key: string, argument: Argument) => (argument.kind === 'positional' ? snake(key) : `--${longName(key, argument)}`);
  const entries = declared(node).map(([key, argument]) => {
    const { repeatable, required, default: preset, values, parse = (text: string) => text } = argument.settings;
    const texts = given[key] ?? (preset === undefined ? [] : [preset]);
    if (argument.kind === 'flag') return [key, repeatable ? texts.length : texts.length > 0];
    const name = called(key, argument);
    const flag = name === snake(key) ? {} : { flag: name };
    const fail = (problem: string) => fields.push({ field: snake(key), ...flag, problem });
    const possible = candidates(values).map(({ value }) => value);
    if (texts.length > 1 && !repeatable) fail('can be given only once');
    if (texts.length === 0 && required) fail('missing');
    const converted = texts.map((text) => {
      if (values && !possible.includes(text)) return fail(`must be one of: ${possible.join(', ')}`);
      try {
        return parse(text);
      } catch (error) {
        return fail(error instanceof Error ? error.message : String(error));
      }
    });
    return [key, repeatable ? converted : converted[0]];
  });
  const all = [...problems, ...(open ? [`\`${called(...open)}\` needs a value`] : [])];
  all.push(...fields.map(({ field, flag, problem }) => `\`${flag ?? field}\` ${problem === 'missing' ? 'is missing' : problem}`));
  if (all.length === 0) return Object.fromEntries(entries);
  const message = all.length === 1 ? `${all[0]}` : `${all.length} problems: ${all.join('; ')}`;
  throw new Failure('usage', 'usage', message, { fields, hints: [`${path.join(' ')} --help`] });
}
