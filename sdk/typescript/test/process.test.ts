// Tests the process of a plugin as a host sees it. The plugin is in `plugin`, built as authors build theirs.

import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const sdk = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(sdk, 'test/plugin');
const file = join(folder, 'build/bot-cli-sample');
const scratch = mkdtempSync(join(tmpdir(), 'bot-cli-sdk-'));
after(() => rmSync(scratch, { recursive: true }));

function build(): void {
  const built = spawnSync(process.execPath, [join(sdk, 'tool.mjs'), 'build'], { cwd: folder, encoding: 'utf8' });
  assert.equal(built.status, 0, built.stderr);
}
before(build);

interface Message {
  id?: unknown;
  result?: { text?: string; data?: unknown; command?: { commands: { name: string; result?: object }[] } };
  params?: { level?: string };
  error?: { code: number; message: string; data: { code?: string } };
}

/** A plugin started as a host does, as the leader of its process group. */
class Started {
  readonly process: ChildProcessWithoutNullStreams;
  readonly said: Message[] = [];
  stderr = '';
  private readonly lines: AsyncIterableIterator<string>;

  constructor(environment: NodeJS.ProcessEnv = {}) {
    this.process = spawn(file, [], { detached: true, env: { ...process.env, ...environment } });
    this.process.stderr.on('data', (bytes) => (this.stderr += bytes));
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  send(...messages: object[]): void {
    this.process.stdin.write(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
  }

  run(id: number, argv: string[], more: object = {}): void {
    this.send({ id, method: 'run', params: { protocol: '1.0', argv, ...more } });
  }

  async next(): Promise<Message> {
    for (;;) {
      const { value, done } = await this.lines.next();
      assert.ok(!done, `the plugin has ended: ${this.stderr}`);
      if (value !== '') return JSON.parse(value);
    }
  }

  /** Returns the exit status and the remaining messages. */
  async end(): Promise<[number, Message[]]> {
    const ended = this.process.exitCode === null ? once(this.process, 'exit') : undefined;
    const rest: Message[] = [];
    for await (const line of this.lines) if (line !== '') rest.push(JSON.parse(line));
    await ended;
    return [this.process.exitCode ?? -1, rest];
  }
}

const cancel = { method: 'cancel', params: { id: 1, reason: 'user' } };

test('an executable that is in use stays as it is when it is built again', () => {
  const held = openSync(file, 'r');
  try {
    const [before, { ino }] = [readFileSync(file), statSync(file)];
    build();
    assert.notEqual(statSync(file).ino, ino);
    assert.deepEqual(readFileSync(held), before);
    assert.equal(statSync(file).mode & 0o777, 0o755);
    assert.deepEqual(readdirSync(join(folder, 'build')).sort(), ['bot-cli-sample', 'package.json']);
  } finally {
    closeSync(held);
  }
});

test('the manifest is one line of the file, and the answer to `describe`', async () => {
  const [first, second] = readFileSync(file, 'utf8').split(/[\n\u2028]/);
  assert.equal(first, '#!/usr/bin/env node');
  const plugin = new Started();
  plugin.send({ id: 1, method: 'describe', params: { protocol: '1.0' } });
  const { result } = await plugin.next();
  assert.deepEqual(result, JSON.parse(second?.replace('// bot-cli-plugin: ', '') ?? ''));
  plugin.process.stdin.end();
  assert.deepEqual(await plugin.end(), [0, []]);
});

test('a command declares the form of its result', async () => {
  const plugin = new Started();
  plugin.send({ id: 1, method: 'describe', params: { protocol: '1.0' } });
  const commands = (await plugin.next()).result?.command?.commands ?? [];
  const declared = commands.flatMap(({ name, result }) => (result ? [[name, result]] : []));
  assert.deepEqual(declared, [['echo', { type: 'object', required: ['words'] }]]);
  plugin.process.stdin.end();
  await plugin.end();
});

test('a request may have the options of the host', async () => {
  const plugin = new Started();
  const echoed = { words: [], quick: false, format: 'text', verbosity: 0, quiet: false };
  let id = 0;
  for (const [words, expected, levels] of [
    [['echo', 'a', '--json', '-v', '--', '-v'], { words: ['a', '-v'], format: 'json', verbosity: 1 }, 'warn note info'],
    [['--json=lines', '-vv', 'echo', '--quiet'], { format: 'json', verbosity: 2, quiet: true }, 'warn info debug'],
    // The command declares `-q`, and `-v` is a value.
    [['echo', '-q', '--note=-v'], { quick: true, note: '-v' }, 'warn note'],
  ] as const) {
    plugin.run((id += 1), [...words]);
    const said: Message[] = [];
    while (said.at(-1)?.id !== id) said.push(await plugin.next());
    assert.deepEqual(said.at(-1)?.result?.data, { ...echoed, ...expected });
    assert.equal(said.flatMap(({ params }) => params?.level ?? []).join(' '), levels);
  }
  plugin.run(9, ['echo', '--json=line']);
  const { error } = await plugin.next();
  assert.deepEqual([error?.code, error?.message], [2, '`--json` takes no value but `lines`']);
  plugin.process.stdin.end();
  await plugin.end();
});

test('the host describes the project', async () => {
  const host = join(scratch, 'host');
  const describe = async (script: string, context: object) => {
    writeFileSync(host, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const plugin = new Started({ BOT_CLI_HOST: host });
    plugin.run(1, ['describe'], { context });
    const reply = await plugin.next();
    plugin.process.stdin.end();
    await plugin.end();
    return reply;
  };
  const echo = 'echo "{\\"words\\": \\"$*\\", \\"cwd\\": \\"$PWD\\"}"';
  const { result } = await describe(echo, { cwd: '/usr/bin', project: '/usr' });
  assert.deepEqual(result?.data, { words: 'init --describe --json /usr', cwd: process.cwd() });
  assert.deepEqual((await describe(echo, { cwd: '/usr' })).result?.data, { words: 'init --describe --json /usr', cwd: process.cwd() });
  const error = { code: 'no_project', message: '`/usr` is not a project', hints: ['bot-cli init'] };
  const failed = await describe(`echo '${JSON.stringify({ error })}'; exit 2`, {});
  assert.deepEqual(failed.error, { code: 2, message: error.message, data: { code: error.code, hints: error.hints } });
  const { code, message } = (await describe('exit 127', {})).error ?? {};
  assert.deepEqual([code, message], [127, '`bot-cli init --describe` ended with status 127']);
});

test('another major version of the protocol is refused, also where there is no such method', async () => {
  const plugin = new Started();
  for (const method of ['nothing', 'complete']) {
    plugin.send({ id: 1, method, params: { protocol: '2.0', argv: [] } });
    const { error } = await plugin.next();
    assert.deepEqual([error?.code, error?.data], [-32022, { supported: ['1.0'] }]);
  }
  plugin.process.stdin.end();
  assert.deepEqual(await plugin.end(), [0, []]);
});

test('what the plugin prints does not reach the host', async () => {
  const plugin = new Started();
  plugin.run(1, ['greet', 'ada']);
  assert.equal((await plugin.next()).result?.text, 'Hello, ada\n');
  plugin.process.stdin.end();
  assert.deepEqual(await plugin.end(), [0, []]);
  assert.match(plugin.stderr, /a stray print/);
});

for (const command of ['spin', 'wait']) {
  for (const [how, status] of [['cancel', 130], ['SIGTERM', 143], ['SIGINT', 130], ['SIGHUP', 129]] as const) {
    test(`${how} ends the command \`${command}\`, which hears nothing`, { timeout: 20_000 }, async () => {
      const plugin = new Started();
      plugin.run(1, [command]);
      await plugin.next();
      if (how === 'cancel') plugin.send(cancel);
      else plugin.process.kill(how);
      const [exit, said] = await plugin.end();
      assert.deepEqual(said.map(({ id, error }) => [id, error?.data.code]), [[1, 'cancelled']]);
      assert.equal(exit, status);
      // No process of the group is left.
      assert.throws(() => process.kill(-(plugin.process.pid ?? 0), 0));
    });
  }
}

test('a request that is wanted is served after one that was cancelled', { timeout: 20_000 }, async () => {
  const plugin = new Started();
  plugin.run(1, ['spin']);
  await plugin.next();
  plugin.run(2, ['greet', 'ada']);
  plugin.send(cancel);
  assert.equal((await plugin.next()).error?.code, 130);
  assert.equal((await plugin.next()).result?.text, 'Hello, ada\n');
  plugin.process.stdin.end();
  assert.deepEqual(await plugin.end(), [0, []]);
});

test('cancelled work cleans up', async () => {
  const tidied = join(scratch, 'tidied');
  const plugin = new Started();
  plugin.run(1, ['tidy', tidied]);
  await plugin.next();
  plugin.send(cancel);
  assert.equal((await plugin.next()).error?.code, 130);
  assert.ok(existsSync(tidied));
  plugin.process.stdin.end();
  assert.deepEqual(await plugin.end(), [0, []]);
});

test('a guarded step is finished', async () => {
  for (const stop of ['cancel', 'SIGTERM'] as const) {
    const plugin = new Started();
    plugin.run(1, ['guarded']);
    await plugin.next();
    if (stop === 'cancel') plugin.send(cancel);
    else plugin.process.kill(stop);
    plugin.process.stdin.end();
    const [, said] = await plugin.end();
    assert.deepEqual(said.map(({ result }) => result?.text), ['finished\n']);
  }
});

test('a plugin whose host is gone ends its work', { timeout: 20_000 }, async () => {
  const plugin = new Started();
  plugin.run(1, ['spin']);
  await plugin.next();
  plugin.process.stdin.end();
  plugin.process.stdout.destroy();
  await once(plugin.process, 'exit');
});

test('a failure has its code, and a defect only its name', async () => {
  const plugin = new Started();
  plugin.run(1, ['fail']);
  plugin.run(2, ['crash']);
  plugin.run(3, ['ask'], { answers: { who: 'ada', token: 'crash' } });
  plugin.run(4, ['exit']);
  plugin.run(5, ['reject']);
  plugin.run(6, ['ask'], { answers: { who: 'ada', token: 'reject' } });
  plugin.run(7, ['greet', 'ada']);
  const replies = [];
  while (replies.length < 7) replies.push(await plugin.next());
  const [failed, crashed, secret, ended, rejected, rejectedSecret, greeted] = replies as [Message, Message, Message, Message, Message, Message, Message];
  assert.deepEqual(failed.error, { code: 4, message: 'the door is shut', data: { code: 'no_access', hints: ['knock'] } });
  assert.equal(crashed.error?.message, 'the plugin has a defect: `TypeError`');
  assert.equal(secret.error?.message, 'the plugin has a defect: `TypeError`');
  assert.equal(ended.error?.data.code, 'internal');
  assert.deepEqual([rejected.error, rejectedSecret.error], [ended.error, ended.error]);
  assert.equal(greeted.result?.text, 'Hello, ada\n');
  plugin.process.stdin.end();
  await plugin.end();
  assert.match(plugin.stderr, /TypeError: a defect\n/);
  assert.match(plugin.stderr, /RangeError: nobody awaits this\n/);
  assert.match(plugin.stderr, /\nthe plugin has a defect: `RangeError`\n/);
  assert.doesNotMatch(plugin.stderr, /a defect with/);
});

test('a line that is too long is refused, and the next is served', async () => {
  const plugin = new Started();
  plugin.process.stdin.write(`${'x'.repeat(9_000_000)}\n`);
  plugin.run(1, ['greet', 'ada']);
  assert.equal((await plugin.next()).error?.code, -32600);
  assert.equal((await plugin.next()).id, 1);
  plugin.process.stdin.end();
  assert.deepEqual(await plugin.end(), [0, []]);
});

test('it is an ordinary command', () => {
  const by = (...words: string[]) => spawnSync(file, words, { encoding: 'utf8' });
  assert.equal(by('greet', 'ada').stdout, 'Hello, ada\n');
  assert.equal(by('greet', 'ada', '--json').stdout, '"Hello, ada"\n');
  assert.match(by('greet', '--help').stdout, /Usage: bot-cli sample greet <WHO>\n/);
  const failed = by('fail');
  const printed = 'a module prints while it is loaded\n';
  assert.deepEqual([failed.status, failed.stderr], [4, `${printed}error: the door is shut\nhint: knock\n`]);
  assert.match(by('ask').stderr, /hint: start it with `bot-cli` to be asked\nhint: bot-cli sample ask --help\n/);
  assert.deepEqual(JSON.parse(by('--json', 'fail').stdout).error.code, 'no_access');
  const lines = (...words: string[]) => by(...words).stdout.trimEnd().split('\n').map((line) => JSON.parse(line));
  assert.deepEqual(lines('echo', '--json=lines', '--json', '-v'), [
    { progress: { message: 'Echoing', current: 1, total: 2 } },
    ...['warn', 'note', 'info'].map((level) => ({ log: { level, message: level, data: { level } } })),
    { output: { text: 'part\n', data: { part: 1 } } },
    { result: { text: 'echoed\n', data: { words: [], quick: false, format: 'json', verbosity: 1, quiet: false }, exit: 5 } },
  ]);
  const { status, stderr } = by('echo', '--json=lines');
  assert.deepEqual([status, stderr], [5, printed]);
  assert.deepEqual(lines('fail', '--json=lines'), [{ error: { code: 4, message: 'the door is shut', data: { code: 'no_access', hints: ['knock'] } } }]);
});
