// Command arguments, declared as data. Help, parsing, completion and types are derived from the declaration.

export type Candidate = { value: string; about?: string };
type Candidates = readonly (string | Candidate)[];

interface Settings {
  about?: string;
  hidden?: boolean;
  /** Whether it can be repeated. If so, the value is a list, or for a flag, the number of occurrences. */
  repeatable?: boolean;
  /** The long name; defaults to the argument's name in kebab-case. */
  long?: string;
  /** The one-letter name. */
  short?: string;
  required?: boolean;
  /** The default value, as the user would type it. */
  default?: string;
  /** The possible values. If omitted, any text is accepted. */
  values?: Candidates;
  /** Converts the text. If it throws, the user sees the error's message: `must be a whole number`. */
  parse?: (text: string) => unknown;
  /** The source of completions. A function receives the words typed so far and returns completions for the last one. */
  completion?: 'file' | 'folder' | 'command' | ((words: readonly string[]) => Candidates | Promise<Candidates>);
}

type Positional = Omit<Settings, 'long' | 'short'>;
type Flag = Pick<Settings, 'long' | 'short' | 'about' | 'hidden' | 'repeatable'>;

/** An argument. Its value in `run` has the type `T`. */
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

/** Parses a whole number; for use as `parse`. */
export function integer(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new Error('must be a whole number');
  return Number(text);
}

/** Returns the name used in the manifest and in errors: `dry_run` for `dryRun`. */
export const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const longName = (key: string, { settings }: Argument) => settings.long ?? snake(key).replaceAll('_', '-');
export const valueName = (key: string) => snake(key).toUpperCase();
export const candidates = (list: Candidates = []): Candidate[] =>
  list.map((one) => (typeof one === 'string' ? { value: one } : one));
