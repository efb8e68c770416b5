// Communicates with the host, handles signals, and manages the thread that runs commands. Commands run in their own thread so that a busy
// command can be terminated at any time.

import { Worker } from 'node:worker_threads';
import { cancelled, ErrorReply, refusedVersion, type Reply } from './failure.js';
import type { Order, Report } from './main.js';
import type { Plugin } from './plugin.js';
import type { Request } from './serve.js';

type Id = Request['id'];
type Message = { id?: Id | null; method?: string; params?: Record<string, unknown> | null };

const LONGEST_LINE = 8 * 1024 * 1024;
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };
/** Time limits for cleanup after a cancellation, and for a guarded step after a signal, in milliseconds. */
const CLEANING = 400;
const GUARDED = 4500;

export function listen(plugin: Plugin): void {
  const waiting: Request[] = [];
  const unwanted = new Set<Id>();
  let current: Request | undefined;
  let worker: Worker | undefined;
  /** The request that was told to stop, and the exit status if a signal arrived. */
  let late: Request | undefined;
  let told: number | undefined;
  let [guarded, ended] = [0, false];

  const open = () => (current ? [current, ...waiting] : waiting);
  const order = (order: Order) => worker?.postMessage(order);
  const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const unfinished = () => cancelled((told ?? 130) === 130 ? 'cancelled' : 'terminated').error;

  function hear(line: Buffer): void {
    const message = decoded(line);
    const { id, method, params } = message;
    if (method === undefined) {
      order({ answer: message as Reply & { id: string } });
    } else if (id !== undefined && id !== null) {
      waiting.push({ id, method, params: params ?? {} });
      next();
    } else if (method === 'cancel' && open().some((request) => request.id === params?.id)) {
      unwanted.add(params?.id as Id);
      if (current?.id === params?.id) stop();
    }
  }

  /** Tells the command to stop, and terminates it if it is still running after the cleanup time. */
  function stop(): void {
    order({ cancel: current?.id ?? 0 });
    late = current;
    setTimeout(endLate, CLEANING);
  }

  /** Terminates a command that has not stopped in time, unless it is in a guarded step. A new thread serves any other open requests. */
  function endLate(): void {
    if (!current || current !== late || guarded > 0) return;
    if (open().every(({ id }) => unwanted.has(id))) return exit(told ?? 130);
    if (plugin.isStateful) return;
    void worker?.terminate();
    worker = undefined;
    reply({ error: unfinished() });
  }

  function next(): void {
    if (current) return;
    current = waiting.shift();
    if (!current && told !== undefined) return exit(told);
    if (!current) return void (ended && process.stdout.write('', () => process.exit(0)));
    const { id, method, params } = current;
    const refused = refusedVersion(params.protocol ?? '1.0');
    if (unwanted.has(id) || told !== undefined) reply({ error: unfinished() });
    else if (refused) reply(refused);
    else if (method === 'describe') reply({ result: plugin.manifest });
    else if (!Object.hasOwn(plugin.methods, method)) reply(new ErrorReply(-32601, 'there is no such method'));
    else {
      worker ??= hire();
      order({ request: current });
    }
  }

  function hire(): Worker {
    // The worker runs the same file as the main thread.
    const hired = new Worker(process.argv[1] ?? '', { stdout: true });
    hired.stdout.pipe(process.stderr);
    hired.on('message', (report: Report) => {
      if (hired !== worker) return;
      if ('message' in report) send(report.message);
      else if ('reply' in report) reply(report.reply);
      else {
        guarded = report.guarded;
        // The command may still return its result.
        setTimeout(endLate, CLEANING);
      }
    });
    hired.on('error', (error) => plugin.isStateful || console.error(error));
    hired.on('exit', () => {
      if (hired !== worker) return;
      [worker, guarded] = [undefined, 0];
      reply({ error: { code: 1, message: 'the plugin ended its work', data: { code: 'internal' } } });
    });
    if (ended) hired.postMessage({ ended });
    return hired;
  }

  function reply(reply: Reply): void {
    if (!current) return;
    const { id } = current;
    current = undefined;
    unwanted.delete(id);
    const error = 'error' in reply && (reply.error.code === 130 ? unfinished() : reply.error);
    send(error ? { id, error } : { id, ...reply });
    setImmediate(next);
  }

  /** Replies to all open requests, and terminates the process and its children. */
  function exit(status: number): void {
    for (const { id } of open()) send({ id, error: unfinished() });
    const hired = worker;
    current = worker = undefined;
    waiting.length = 0;
    process.stdout.write('', async () => {
      for (const name of Object.keys(SIGNALS)) process.removeAllListeners(name).on(name, () => undefined);
      // A host starts a plugin as the leader of its process group, which contains its child processes.
      if (hired) attempt(() => process.kill(-process.pid, 'SIGTERM'));
      // `terminate` can't stop a thread that is blocked on a child process.
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1000);
      await hired?.terminate();
      process.exit(status);
    });
  }

  function end(): void {
    ended = true;
    order({ ended });
    next();
    // Readers skip empty lines. If writing one fails, the host is gone and the process exits.
    setInterval(() => process.stdout.write('\n'), 2000).unref();
  }

  process.stdout.on('error', () => process.exit(1));
  process.stdin.on('error', end);
  for (const [name, number] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      if (told !== undefined) return;
      told = 128 + number;
      for (const { id } of open()) unwanted.add(id);
      stop();
      next();
      setTimeout(() => exit(128 + number), GUARDED);
    });
  }
  let [rest, isTooLong] = [Buffer.alloc(0), false];
  const feed = (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = rest.subarray(0, end);
      try {
        if (isTooLong || end > LONGEST_LINE + 1) throw new ErrorReply(-32600, 'the line is too long');
        if (line.some((byte) => byte > 32)) hear(line);
      } catch (error) {
        if (error instanceof ErrorReply) send({ id: null, error: error.error });
      }
      [rest, isTooLong] = [rest.subarray(end + 1), false];
    }
    if (rest.length > LONGEST_LINE + 1) [rest, isTooLong] = [Buffer.alloc(0), true];
  };
  process.stdin.on('data', feed).on('end', () => {
    feed(Buffer.from('\n')); // The last line may have no line feed.
    end();
  });
}

function attempt<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(line: Buffer): Message {
  const message = attempt(() => JSON.parse(strict.decode(line)));
  if (message === undefined) throw new ErrorReply(-32700, 'the line is not JSON in UTF-8');
  const { jsonrpc, id = null, method, params = {}, result, error } = Object(message);
  const isId = id === null || typeof id === 'string' || Number.isInteger(id);
  const isCall = typeof method === 'string' && typeof params === 'object' && !Array.isArray(params);
  const isReply = method === undefined && (result !== undefined || error !== undefined);
  if (jsonrpc === '2.0' && isId && (isCall || isReply)) return message as Message;
  throw new ErrorReply(-32600, 'the line is not a message');
}
