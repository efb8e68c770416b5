// The plugin as an ordinary command.

import { readFileSync } from 'node:fs';
import type { Plugin } from './plugin.js';
import { serve } from './serve.js';

type Result = { text?: string; data?: unknown; exit?: number };
type Problem = { code?: string; hints?: string[] };

export async function byHand(plugin: Plugin, words: string[]): Promise<void> {
  const { name, version, about } = plugin.manifest;
  if (!plugin.methods.run) {
    const isVersion = words.includes('--version') || words.includes('-V');
    return console.log(isVersion ? `bot-cli-${name} ${version}` : `bot-cli-${name} ${version}: ${about}`);
  }
  const json = words.slice(0, [...words, '--'].indexOf('--')).includes('--json');
  const link = {
    notify: (method: string, { text = '', level, message }: { text?: string; level?: string; message?: string }) => {
      if (method === 'output') process.stdout.write(text);
      if (level === 'warn' || level === 'note') console.error(`${level}: ${message}`);
    },
    request: () => Promise.resolve({ result: { base64: readFileSync(0, 'base64') } }),
    guard: () => undefined,
  };
  const context = { format: json ? 'json' : 'text', interactive: process.stdin.isTTY, terminal: process.stdout.isTTY };
  const params = { argv: words, capabilities: { stdin: {}, ...(!json && { output: {} }) }, context };
  const reply = await serve(plugin, { id: 1, method: 'run', params }, link, new AbortController().signal, console.error);
  if ('result' in reply) {
    const { text = '', data = null, exit = 0 } = reply.result as Result;
    process.stdout.write(json ? `${JSON.stringify(data, null, 2)}\n` : text);
    process.exitCode = exit;
    return;
  }
  const { code, message, data } = reply.error as { code: number; message: string; data: Problem };
  const hints = [...(data.code === 'input_required' ? ['start it with `bot-cli` to be asked'] : []), ...(data.hints ?? [])];
  if (json) console.log(JSON.stringify({ error: { message, ...data } }, null, 2));
  else console.error([`error: ${message}`, ...hints.map((hint) => `hint: ${hint}`)].join('\n'));
  process.exitCode = code;
}
