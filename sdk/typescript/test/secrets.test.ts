// What the library does for every secrets backend.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secretsBackend, type Store, StoreFailure } from '../src/index.js';
import { request } from '../src/testing.js';

const CANARY = 'canary-5f1d';

function backend(more: Partial<Store> = {}) {
  const store: Store = {
    opened: { place: 'memory', names: { shortest: 2, longest: 5, capitals: false }, limits: { value_bytes: 20 } },
    list: () => [],
    get: () => null,
    put: () => {},
    unset: ({ keys }) => keys,
    delete: () => false,
    ...more,
  };
  return secretsBackend({ name: 'memory', version: '1.0.0', about: 'Keeps nothing', open: () => store });
}

const opening = { secrets: '1.0', settings: {} };
const put = (name: string, value = '1') => ({ name, entries: { A: value }, prior: 'absent' });

async function opened(more?: Partial<Store>) {
  const plugin = backend(more);
  const reply = await request(plugin, 'secrets/open', opening);
  const ask = async (method: string, params: object = {}) => {
    const reply = await request(plugin, `secrets/${method}`, params);
    return 'error' in reply ? reply.error : reply.result;
  };
  return { ask, reply };
}

test('what a store can do follows from its methods', async () => {
  const { reply } = await opened();
  assert.deepEqual((reply as { result: { can: string[] } }).result.can, []);
  const credentials = () => ({ host: '', credentials: '' });
  const all = { values: () => ({}), credentials, organizations: () => [], putImagePullSecret: () => {} };
  const { reply: other } = await opened(all);
  assert.deepEqual((other as { result: { can: string[] } }).result.can, ['values', 'image_pull_secrets', 'organizations']);
  const { ask } = await opened();
  const { data } = (await ask('values', { name: 'prod' })) as { data: object };
  assert.deepEqual(data, { code: 'not_supported', effect: 'not_done' });
});

test('the rules for names and values are kept before the store is called', async () => {
  const changed: string[] = [];
  const { ask } = await opened({ put: ({ name }) => void changed.push(name) });
  for (const name of ['a', 'abcdef', 'Prod', 'a_b', '-ab']) {
    const { data } = (await ask('put', put(name))) as { data: object };
    assert.deepEqual(data, { code: 'invalid_name', effect: 'not_done' });
  }
  const { data } = (await ask('put', put('prod', 'x'.repeat(21)))) as { data: object };
  assert.deepEqual(data, { code: 'too_large', effect: 'not_done', bytes: { size: 21, limit: 20 } });
  assert.deepEqual(changed, []);
  assert.deepEqual(await ask('put', put('prod')), {});
  assert.deepEqual(changed, ['prod']);
});

test('requests are refused before they reach the store', async () => {
  const { ask } = await opened();
  for (const params of [{}, { ...put('prod'), entries: ['A'] }, { ...put('prod'), entries: { A: 1 } }, { ...put('prod'), prior: 'there' }]) {
    assert.equal(((await ask('put', params)) as { code: number }).code, -32602);
  }
  assert.equal(((await ask('open', opening)) as { code: number }).code, -32600);
  const first = await request(backend(), 'secrets/list');
  assert.equal('error' in first && first.error.code, -32600);
  const later = await request(backend(), 'secrets/open', { ...opening, secrets: '2.0' });
  assert.equal('error' in later && later.error.code, -32022);
});

test('a defect says nothing of a value, and nothing of what became of the change', async () => {
  const defect = () => {
    throw new TypeError(CANARY);
  };
  const { ask } = await opened({ put: defect, list: () => Promise.reject(new StoreFailure('unavailable', 'the door is shut')) });
  const failed = await ask('put', put('prod', CANARY));
  assert.deepEqual(failed, { code: 1, message: 'the plugin has a defect: `TypeError`', data: { code: 'internal' } });
  assert.deepEqual(await ask('list'), { code: 7, message: 'the door is shut', data: { code: 'unavailable' } });
});
