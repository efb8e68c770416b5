import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from 'bot-cli-sdk/testing';
import plugin from './plugin';

test('greets', async () => {
  const { text, data } = await run(plugin, ['moon', '--language', 'de']);
  assert.equal(text, 'Hallo, moon.\n');
  assert.deepEqual(data, { who: 'moon', language: 'de' });
});

test('asks', async () => {
  const { text, asked, shown } = await run(plugin, [], { answers: { who: 'ada' } });
  assert.equal(text, 'Hello, ada.\n');
  assert.deepEqual(asked.map(({ key }) => key), ['who']);
  assert.deepEqual(shown, [['progress', 'Greeting ada']]);
});

test('says what it needs where nobody can be asked', async () => {
  const { failure } = await run(plugin, []);
  assert.equal(failure?.data.code, 'input_required');
});
