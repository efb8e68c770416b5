// The arguments of a command, declared as data. Help, parsing, completion and types follow from the declaration.

export type Candidate = { value: string; about?: string };
type Candidates = readonly (string | Candidate)[];

interface Settings {
  about?: string;
  hidden?: boolean;
  /** Whether it may be given several times; the value is then a list, and that of a flag how often it was given. */
  repeatable?: boolean;
  /** The long name; by default that of the argument in kebab-case. */
  long?: string;
  /** One letter. */
  short?: string;
  required?: boolean;
  /** The default value, as the user would write it. */
  default?: string;
  /** The possible values; without them, any text. */
  values?: Candidates;
  /** Converts the text. What it throws becomes the problem of the argument: `must be a whole number`. */
  parse?: (text: string) => unknown;
  /** Where more values come from; a function is given the words so far and returns what the last may become. */
  completion?: 'file' | 'folder' | 'command' | ((words: readonly string[]) => Candidates | Promise<Candidates>);
}

type Positional = Omit<Settings, 'long' | 'short'>;
type Flag = Pick<Settings, 'long' | 'short' | 'about' | 'hidden' | 'repeatable'>;

/** An argument whose value in `run` is a `T`. */
export interface Argument<T = unknown> {
  readonly kind: 'flag' | 'option' | 'positional';
  readonly settings: Settings;
  readonly value?: T;
}
export type Arguments = Record<string, Argument>;
export type Values<A extends Arguments> = { [K in keyof A]: A[K] extends Argument<infer T> ? T : never };

type Text<V> = V extends { value: infer W } ? W : V;
type One<S> = S extends { parse: (text: string) => infer T } ? T : S extends { values: readonly (infer V)[] } ? Text<V> : string;
type Value<S> = S extends { repeatable: true }
  ? One<S>[]
  : S extends { required: true } | { default: string } ? One<S> : One<S> | undefined;
type FlagValue<S> = S extends { repeatable: true } ? number : boolean;

export const positional = <const S extends Positional>(settings: S): Argument<Value<S>> => ({ kind: 'positional', settings });
export const option = <const S extends Settings>(settings: S): Argument<Value<S>> => ({ kind: 'option', settings });
export const flag = <const S extends Flag>(settings: S): Argument<FlagValue<S>> => ({ kind: 'flag', settings });

/** A `parse` for whole numbers. */
export function integer(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new Error('must be a whole number');
  return Number(text);
}

/** The name of a key in the manifest and in errors: `dryRun` is `dry_run`. */
export const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const longName = (key: string, { settings }: Argument) => settings.long ?? snake(key).replaceAll('_', '-');
export const valueName = (key: string) => snake(key).toUpperCase();
export const candidates = (list: Candidates = []): Candidate[] =>
  list.map((one) => (typeof one === 'string' ? { value: one } : one));
