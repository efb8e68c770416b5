// Runs a plugin in a test with scripted answers, and records what it shows.

import type { ErrorObject, Reply } from './failure.js';
import type { Plugin } from './plugin.js';
import { serve } from './serve.js';
import type { Context } from './session.js';

/** The parameters of an `ask` request. */
export type Asked = { key: string; kind: string; message: string; default?: unknown; back?: boolean; problem?: string };

/** An answer that goes back to the previous question. */
export const BACK = Symbol('back');

export interface Setting {
  /**
   * The answers by key, or a function that answers each question. Questions without an answer get their default, or are cancelled. If
   * `answers` is omitted, the plugin can't ask questions.
   */
  answers?: Record<string, unknown> | ((question: Asked) => unknown);
  stdin?: string;
  context?: Partial<Context>;
  signal?: AbortSignal;
}

export interface Ran {
  exit: number;
  text: string;
  data: unknown;
  next: string[];
  failure?: ErrorObject & { data: { code?: string; hints?: string[]; inputs?: Asked[] } };
  asked: Asked[];
  /** The notifications sent before the result: `['progress', 'Greeting ada']`. */
  shown: [method: string, text: string][];
}

/** Runs a command with the given arguments. */
export async function run(plugin: Plugin, words: string[], setting: Setting = {}): Promise<Ran> {
  const ran: Ran = { exit: 0, text: '', data: undefined, next: [], asked: [], shown: [] };
  const reply = await request(plugin, 'run', { argv: words }, setting, ran);
  if ('error' in reply) return { ...ran, exit: reply.error.code, failure: reply.error };
  const { text = '', ...result } = reply.result as Partial<Ran>;
  const output = ran.shown.flatMap(([method, text]) => (method === 'output' ? text : []));
  return { ...ran, ...result, text: output.join('') + text };
}

/** Sends a request for any method, such as `secrets/open`. */
export async function request(plugin: Plugin, method: string, params: object = {}, setting: Setting = {}, ran?: Ran): Promise<Reply> {
  const { answers, stdin, context, signal = new AbortController().signal } = setting;
  const kinds = ['text', 'password', 'confirm', 'select', 'multiselect'];
  const capabilities = { ...(answers && { ask: { kinds } }), ...(stdin !== undefined && { stdin: {} }), progress: {}, output: {} };
  const answer = (question: Asked) => {
    ran?.asked.push(question);
    const value = (typeof answers === 'function' ? answers(question) : answers?.[question.key]) ?? question.default;
    if (value === BACK) return { action: 'back' };
    return value === undefined ? { action: 'cancel' } : { action: 'accept', value };
  };
  const link = {
    notify: (method: string, { message, text = '' }: { message?: string; text?: string }) => ran?.shown.push([method, message ?? text]),
    request: async (method: string, params: object) => ({ result: method === 'stdin' ? { text: stdin } : answer(params as Asked) }),
    guard: () => undefined,
  };
  const whole = { protocol: '1.0', capabilities, context: { interactive: answers !== undefined, ...context }, ...params };
  return serve(plugin, { id: 1, method, params: whole }, link, signal, (error) => {
    throw error;
  });
}
