// Starts the plugin, either as an ordinary command or speaking the protocol with a separate thread for commands.

import { isMainThread, type MessagePort, parentPort } from 'node:worker_threads';
import { byHand } from './by-hand.js';
import type { Reply } from './failure.js';
import { listen } from './host.js';
import type { Plugin } from './plugin.js';
import { defect, type Request, serve } from './serve.js';
import type { Link } from './session.js';

/** A message from the main thread to the worker. */
export type Order = { request: Request } | { answer: Reply & { id: string } } | { cancel: Request['id'] } | { ended: boolean };

/** A message from the worker to the main thread: a message for the host, a reply, or the number of guarded steps. */
export type Report = { message: object } | { reply: Reply } | { guarded: number };

export function main(plugin: Plugin): void {
  if (!isMainThread && parentPort) work(plugin, parentPort);
  else if (process.argv.length > 2 || process.stdin.isTTY) void byHand(plugin, process.argv.slice(2));
  else listen(plugin);
}

function work(plugin: Plugin, port: MessagePort): void {
  const waiting = new Map<string, (reply?: Reply) => void>();
  const tell = (report: Report) => port.postMessage(report);
  let [asked, guarded, ended] = [0, 0, false];
  let [id, abort]: [Request['id'], AbortController] = [0, new AbortController()];
  const drop = () => {
    for (const resolve of waiting.values()) resolve();
    waiting.clear();
  };
  const link: Link = {
    notify: (method: string, params: object) => tell({ message: { method, params: { id, ...params } } }),
    request: (method: string, params: object) =>
      new Promise<Reply | undefined>((resolve) => {
        if (ended || abort.signal.aborted) return resolve(undefined);
        const own = `${id}-${(asked += 1)}`;
        waiting.set(own, resolve);
        tell({ message: { id: own, method, params } });
      }),
    guard: (isGuarded: boolean) => tell({ guarded: (guarded += isGuarded ? 1 : -1) }),
  };
  // For example, a rejected promise that the command does not await.
  process.on('uncaughtException', (error) => {
    if (!plugin.isStateful) console.error(link.isSecret ? defect(error) : error);
    process.exit(1);
  });
  port.on('message', async (order: Order) => {
    if ('answer' in order) {
      waiting.get(order.answer.id)?.(order.answer);
      waiting.delete(order.answer.id);
    } else if ('request' in order) {
      [id, abort] = [order.request.id, new AbortController()];
      tell({ reply: await serve(plugin, order.request, link, abort.signal, console.error) });
    } else if ('ended' in order || order.cancel === id) {
      if ('ended' in order) ended = true;
      else abort.abort();
      drop();
    }
  });
}
