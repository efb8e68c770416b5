// Questions for the user.

interface Settings<T> {
  /** The answer if the user presses Enter or can't be asked. */
  default?: T;
  /** `details` is shown above the question, and `help` is one line below it. */
  details?: string;
  help?: string;
  /** The option that answers the question, such as `--language`. */
  flag?: string;
  /** Returns the problem with an answer, if any. The question is then asked again. */
  check?: (value: T) => string | undefined;
}

export type Choice<V extends string = string> = { value: V; label?: string; about?: string };
type Choices<V extends string> = readonly (V | Choice<V>)[];
type Kind = 'text' | 'password' | 'confirm' | 'select' | 'multiselect';

/** A question. Its answer has the type `T`. */
export class Question<T> {
  readonly choices: { value: string; label: string }[];

  constructor(readonly kind: Kind, readonly message: string, readonly settings: Settings<T>, choices: Choices<string> = []) {
    this.choices = choices.map((one) => (typeof one === 'string' ? { value: one, label: one } : { label: one.value, ...one }));
  }

  /** Returns whether the value has the right type and is one of the choices. */
  accepts(value: unknown): value is T {
    const isChoice = (value: unknown) => this.choices.some((choice) => choice.value === value);
    if (this.kind === 'multiselect') return Array.isArray(value) && value.every(isChoice);
    return this.kind === 'select' ? isChoice(value) : typeof value === (this.kind === 'confirm' ? 'boolean' : 'string');
  }

  /** Returns the problem with an answer, if any. */
  problem(value: unknown): string | undefined {
    return this.accepts(value) ? this.settings.check?.(value) : 'is not a possible answer';
  }

  /** Returns the parameters of `ask`. */
  wire(key: string, now: { default?: unknown; back?: boolean; problem?: string | undefined } = {}): object {
    const { check: _, ...settings } = this.settings;
    return { key, kind: this.kind, message: this.message, ...settings, ...now, choices: this.choices };
  }
}

/** The answers to an object of questions. Values that are not questions stay as they are. */
export type Answers<Q> = { [K in keyof Q]: Q[K] extends infer V ? (V extends Question<infer T> ? T : V) : never };

export const text = (message: string, settings: Settings<string> = {}) => new Question('text', message, settings);

/** A question with hidden input. Never show the answer, log it, or include it in an error. */
export const password = (message: string, settings: Omit<Settings<string>, 'default'> = {}) =>
  new Question<string>('password', message, settings);

export const confirm = (message: string, settings: Settings<boolean> = {}) => new Question('confirm', message, settings);

export const select = <const V extends string>(message: string, choices: Choices<V>, settings: Settings<NoInfer<V>> = {}) =>
  new Question<V>('select', message, settings, choices);

export const multiselect = <const V extends string>(message: string, choices: Choices<V>, settings: Settings<NoInfer<V>[]> = {}) =>
  new Question<V[]>('multiselect', message, settings, choices);
