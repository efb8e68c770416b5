// Command and backend failures, in the form that the protocol defines.

/** The kinds of failure and their exit statuses. */
export const EXITS = { failed: 1, usage: 2, unknown: 3, not_allowed: 4, unavailable: 7, cancelled: 130, terminated: 143 } as const;
export type Exit = keyof typeof EXITS;

/** A missing or invalid field. `problem` is either `missing` or a description. */
export type Field = { field: string; flag?: string; problem: string };

export interface FailureData {
  /** How to fix it: each hint is a sentence or a command to paste. */
  hints?: string[];
  fields?: Field[];
  /** The outcome of the command's change; omitted if it changes nothing. */
  outcome?: 'not_done' | 'partly_done' | 'done' | 'unknown';
}

export type ErrorObject = { code: number; message: string; data: object };
export type Reply = { result: unknown } | { error: ErrorObject };

/** An error reply to a request. */
export class ErrorReply extends Error {
  readonly error: ErrorObject;

  constructor(code: number, message: string, data: object = {}) {
    super(message);
    this.error = { code, message, data };
  }
}

/**
 * Ends a command. `code` tells programs the cause, in `snake_case`. `message` is for the user: lower case, no full stop, literals in
 * backticks.
 */
export class Failure extends ErrorReply {
  constructor(exit: Exit, code: string, message: string, data: FailureData = {}) {
    super(EXITS[exit], message, { code, ...data });
  }
}

export const cancelled = (exit: Exit = 'cancelled') => new Failure(exit, 'cancelled', 'cancelled');

/** Returns an error if the version is not `1.x`. */
export function refusedVersion(version: unknown): ErrorReply | undefined {
  if (typeof version !== 'string') return new ErrorReply(-32602, 'a version must be a text');
  if (version.split('.')[0] === '1') return undefined;
  return new ErrorReply(-32022, `version \`${version}\` is not supported`, { supported: ['1.0'] });
}
