// The process of a plugin: what a host sees of it. The plugin is in `plugin`, built as authors build theirs.

import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
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
  result?: { text?: string };
  error?: { code: number; message: string; data: { code?: string } };
}

/** A plugin that a host has started: the leader of its group. */
class Started {
  readonly process: ChildProcessWithoutNullStreams;
  readonly said: Message[] = [];
  stderr = '';
  private readonly lines: AsyncIterableIterator<string>;

  constructor() {
    this.process = spawn(file, [], { detached: true });
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

  /** The exit status, after everything else that it said. */
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
      // Nothing of the group is left.
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
  assert.match(by('greet', 'ada').stdout, /Hello, ada\n$/);
  assert.match(by('greet', 'ada', '--json').stdout, /"Hello, ada"\n$/);
  assert.match(by('greet', '--help').stdout, /Usage: bot-cli sample greet <WHO>\n/);
  const failed = by('fail');
  assert.deepEqual([failed.status, failed.stderr], [4, 'error: the door is shut\nhint: knock\n']);
  assert.match(by('ask').stderr, /hint: start it with `bot-cli` to be asked\nhint: bot-cli sample ask --help\n/);
});
