// Serves one request.

import { cancelled, ErrorReply, type Reply } from './failure.js';
import type { Plugin } from './plugin.js';
import { type Link, Session } from './session.js';

export type Request = { id: number | string; method: string; params: Record<string, unknown> };
type Show = (error: unknown) => void;

/** Serves a request. Unexpected errors are passed to `show`, unless they could contain a secret. */
export async function serve(plugin: Plugin, request: Request, link: Link, signal: AbortSignal, show: Show): Promise<Reply> {
  const { method, params } = request;
  const session = new Session(link, signal, params);
  try {
    return { result: (await plugin.methods[method]?.(params, session)) ?? {} };
  } catch (error) {
    if (error instanceof ErrorReply) return { error: error.error };
    if (signal.aborted) return { error: cancelled().error };
    if (!plugin.isStateful && !link.isSecret) show(error);
    return { error: { code: 1, message: defect(error), data: { code: 'internal' } } };
  }
}

/** Describes an unexpected error by its type, without its message. */
export const defect = (error: unknown) => `the plugin has a defect: \`${error instanceof Error ? error.name : typeof error}\``;
