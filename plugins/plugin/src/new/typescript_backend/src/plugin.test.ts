import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { request } from 'bot-cli-sdk/testing';
import backend from './plugin';

const CANARY = 'canary-5f1d';
const folder = mkdtempSync(join(tmpdir(), '@NAME@-'));
const file = join(folder, 'kept/sets.json');
after(() => rmSync(folder, { recursive: true }));

/** The result, or the data of the error. */
async function said(method: string, params: object) {
  const reply = await request(backend, `secrets/${method}`, params);
  return 'result' in reply ? reply.result : reply.error.data;
}

test('keeps a set', async () => {
  await said('open', { secrets: '1.0', settings: { file } });
  assert.deepEqual(readdirSync(folder), []);
  assert.deepEqual(await said('put', { name: 'prod', entries: { A: CANARY, B: '2' }, prior: 'absent' }), {});
  assert.deepEqual(await said('unset', { name: 'prod', keys: ['B', 'C'] }), { missing: ['C'] });
  assert.deepEqual(await said('list', {}), { sets: [{ name: 'prod', kind: 'secret' }] });
  assert.deepEqual(await said('values', { name: 'prod' }), { values: { A: CANARY } });
});

test('only the user can read the file', () => {
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(join(folder, 'kept')).mode & 0o777, 0o700);
});

test('changes at the same time lose nothing', async () => {
  const keys = ['A', 'B', 'C', 'D'];
  await Promise.all(keys.slice(1).map((key) => said('put', { name: 'prod', entries: { [key]: '1' }, prior: { keys: ['A'] } })));
  assert.deepEqual(await said('get', { name: 'prod' }), { set: { name: 'prod', kind: 'secret', keys } });
  assert.deepEqual(readdirSync(join(folder, 'kept')), ['sets.json']);
});

test('a damaged file stays as it is', async () => {
  writeFileSync(file, '{');
  const failed = { code: 'unavailable', effect: 'not_done' };
  assert.deepEqual(await said('put', { name: 'prod', entries: { A: '1' }, prior: { keys: ['A'] } }), failed);
  assert.equal(readFileSync(file, 'utf8'), '{');
});
