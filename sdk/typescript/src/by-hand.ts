// Runs the plugin as an ordinary command, without a host.

import { readFileSync } from 'node:fs';
import type { HostOptions } from './parse.js';
import type { Plugin } from './plugin.js';
import { serve } from './serve.js';

type Result = { text?: string; data?: unknown; exit?: number };
type Problem = { code?: string; hints?: string[] };

const print = (text: string) => void process.stdout.write(text);

export async function byHand(plugin: Plugin, words: string[]): Promise<void> {
  const { name, version, about } = plugin.manifest;
  if (!plugin.methods.run) {
    const isVersion = words.includes('--version') || words.includes('-V');
    return print(isVersion ? `bot-cli-${name} ${version}\n` : `bot-cli-${name} ${version}: ${about}\n`);
  }
  let json: HostOptions['json'];
  const link = {
    notify(method: string, params: { text?: string; level?: string; message?: string }) {
      if (json === 'lines') print(`${JSON.stringify({ [method]: params })}\n`);
      else if (method === 'output') print(params.text ?? '');
      else if (method === 'log') console.error(`${params.level}: ${params.message}`);
    },
    request: () => Promise.resolve({ result: { base64: readFileSync(0, 'base64') } }),
    guard: () => undefined,
    offer(options: HostOptions) {
      ({ json } = options);
      return { stdin: {}, ...(json !== 'document' && { output: {} }), ...(json === 'lines' && !options.quiet && { progress: {} }) };
    },
  };
  const params = { argv: words, context: { interactive: process.stdin.isTTY, terminal: process.stdout.isTTY } };
  const reply = await serve(plugin, { id: 1, method: 'run', params }, link, new AbortController().signal, console.error);
  const [{ exit = 0 }, status] = 'result' in reply ? [reply.result as Result] : [{}, reply.error.code];
  process.exitCode = status ?? exit;
  if (json === 'lines') return print(`${JSON.stringify(reply)}\n`);
  if ('result' in reply) {
    const { text = '', data = null } = reply.result as Result;
    return print(json ? `${JSON.stringify(data, null, 2)}\n` : text);
  }
  const { message, data } = reply.error as { message: string; data: Problem };
  const hints = [...(data.code === 'input_required' ? ['start it with `bot-cli` to be asked'] : []), ...(data.hints ?? [])];
  if (json) print(`${JSON.stringify({ error: { message, ...data } }, null, 2)}\n`);
  else console.error([`error: ${message}`, ...hints.map((hint) => `hint: ${hint}`)].join('\n'));
}
