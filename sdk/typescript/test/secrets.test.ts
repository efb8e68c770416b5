// Tests what the library does for every secrets backend.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal, secretsBackend, type Store, type Stored } from '../src/index.js';
import { request } from '../src/testing.js';

const CANARY = 'canary-5f1d';

/** A backend with two sets, and the names of the changed sets. */
async function opened(more: Partial<Store> = {}, can?: 'values'[]) {
  const kept = new Map<string, Stored>([
    ['prod', { kind: 'secret', region: 'eu', values: { A: '1', B: '2' } }],
    ['pull', { kind: 'image_pull_secret', host: 'ghcr.io', credentials: 'YQ==' }],
  ]);
  const changed: string[] = [];
  const limits = { value_bytes: 20, set_bytes: 40, keys: 3 };
  const store: Store = {
    opened: { place: 'memory', organization: 'home', names: { shortest: 2, longest: 5, capitals: false }, limits },
    sets: () => [...kept].map(([name, { kind, region }]) => ({ name, kind, ...(region && { region }) })),
    load: (name) => kept.get(name),
    apply({ name, after }) {
      changed.push(name);
      if (after) kept.set(name, after);
      else kept.delete(name);
    },
    ...more,
  };
  const plugin = secretsBackend({ name: 'memory', version: '1.0.0', about: 'Keeps nothing', open: () => store, ...(can && { can }) });
  const ask = async (method: string, params: object = {}) => {
    const reply = await request(plugin, `secrets/${method}`, params);
    return 'error' in reply ? reply.error : reply.result;
  };
  const first = await ask('list');
  return { ask, changed, first, opened: await ask('open', opening) };
}

const opening = { secrets: '1.0', settings: {} };
const put = (name: string, value = '1') => ({ name, entries: { A: value }, prior: 'absent' });
const pull = { host: 'ghcr.io', credentials: 'Yg==' };
const code = (reply: unknown) => (reply as { data?: { code?: string } }).data?.code ?? reply;

test('reads', async () => {
  const { ask } = await opened();
  const prod = { name: 'prod', kind: 'secret', region: 'eu' };
  assert.deepEqual(await ask('list'), { sets: [prod, { name: 'pull', kind: 'image_pull_secret' }] });
  assert.deepEqual(await ask('list', { region: 'eu' }), { sets: [prod] });
  assert.deepEqual(await ask('get', { name: 'prod' }), { set: { ...prod, keys: ['A', 'B'] } });
  assert.deepEqual(await ask('get', { name: 'none' }), { set: null });
  assert.deepEqual(await ask('values', { name: 'pull' }), { values: null });
  assert.deepEqual(await ask('credentials', { name: 'pull' }), { host: 'ghcr.io', credentials: 'YQ==' });
  assert.equal(code(await ask('credentials', { name: 'prod' })), 'not_found');
  assert.deepEqual(await ask('organizations'), { organizations: [{ name: 'home' }] });
});

test('a change is made if the set is as the user saw it', async () => {
  const { ask, changed } = await opened();
  assert.deepEqual(await ask('put', { name: 'prod', entries: { C: '3' }, prior: { keys: ['A'] } }), {});
  assert.deepEqual(await ask('values', { name: 'prod' }), { values: { A: '1', B: '2', C: '3' } });
  assert.deepEqual(await ask('unset', { name: 'prod', keys: ['A', 'Z'] }), { missing: ['Z'] });
  assert.deepEqual(await ask('unset', { name: 'prod', keys: ['A'] }), { missing: ['A'] });
  assert.deepEqual(await ask('put_image_pull_secret', { name: 'pull', ...pull, prior: { keys: [] } }), {});
  assert.deepEqual(await ask('delete', { name: 'pull', prior: { keys: [] } }), { deleted: true });
  assert.deepEqual(await ask('delete', { name: 'pull', prior: { keys: [] } }), { deleted: false });
  assert.deepEqual(changed, ['prod', 'prod', 'pull', 'pull']);
});

test('a change of a set that is not as the user saw it is a conflict', async () => {
  const { ask, changed } = await opened();
  for (const [method, params] of [
    ['put', put('prod')],
    ['put', put('pull')],
    ['put', { ...put('none'), prior: { keys: [] } }],
    ['put', { ...put('prod'), prior: { keys: ['B'] } }],
    ['put_image_pull_secret', { name: 'prod', ...pull, prior: { keys: [] } }],
    ['unset', { name: 'pull', keys: ['A'] }],
    ['unset', { name: 'prod', keys: ['A'], prior: { keys: ['B'] } }],
    ['delete', { name: 'prod', prior: { keys: ['A'] } }],
    ['delete', { name: 'prod', prior: 'absent' }],
  ] as const) {
    assert.deepEqual(((await ask(method, params)) as { data: object }).data, { code: 'conflict', effect: 'not_done' }, method);
  }
  assert.deepEqual(changed, []);
});

test('the rules for names and sizes are kept', async () => {
  const { ask, changed } = await opened();
  for (const name of ['a', 'abcdef', 'Prod', 'a_b', '-ab']) assert.equal(code(await ask('put', put(name))), 'invalid_name');
  const { data } = (await ask('put', put('new', 'x'.repeat(21)))) as { data: object };
  assert.deepEqual(data, { code: 'too_large', effect: 'not_done', bytes: { size: 21, limit: 20 } });
  const value = 'x'.repeat(19);
  assert.equal(code(await ask('put', { ...put('new'), entries: { A: value, B: value, C: '' } })), 'too_large');
  assert.equal(code(await ask('put', { ...put('new'), entries: { A: '', B: '', C: '', D: '' } })), 'too_large');
  assert.deepEqual(changed, []);
});

test('requests are refused before they reach the store', async () => {
  const { ask, first } = await opened();
  for (const params of [{}, { ...put('prod'), entries: ['A'] }, { ...put('prod'), entries: { A: 1 } }, { ...put('prod'), prior: 'there' }]) {
    assert.equal(((await ask('put', params)) as { code: number }).code, -32602);
  }
  assert.equal(((await ask('open', opening)) as { code: number }).code, -32600);
  assert.equal((first as { code: number }).code, -32600);
  const { ask: other, opened: result } = await opened({}, ['values']);
  assert.deepEqual((result as { can: string[] }).can, ['values']);
  assert.equal(code(await other('organizations')), 'not_supported');
});

test('what became of a change is said, and nothing of a value', async () => {
  const failing = (error: Error) => ({ apply: () => Promise.reject(error) });
  const defect = await opened(failing(new TypeError(CANARY)));
  const data = { code: 'internal', effect: 'unknown' };
  assert.deepEqual(await defect.ask('put', put('new', CANARY)), { code: 1, message: 'the plugin has a defect: `TypeError`', data });
  const refusing = await opened(failing(new Refusal('unavailable', 'the door is shut', 'not_done')));
  const refused = { code: 7, message: 'the door is shut', data: { code: 'unavailable', effect: 'not_done' } };
  assert.deepEqual(await refusing.ask('put', put('new')), refused);
});
