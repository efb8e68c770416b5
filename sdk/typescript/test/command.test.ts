// Tests arguments, help, completion and questions without starting a process.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command, confirm, flag, group, integer, multiselect, option, password, plugin, positional, select, text } from '../src/index.js';
import { BACK, request, run } from '../src/testing.js';

const arguments_ = {
  who: positional({ about: 'Who is greeted', required: true, completion: (words) => ['moon', words.at(-1) ?? ''] }),
  rest: positional({ repeatable: true }),
  language: option({ about: 'In which language', short: 'l', values: ['en', { value: 'de', about: 'German' }], default: 'en' }),
  dryRun: flag({ about: 'Change nothing', short: 'n' }),
  loud: flag({ short: 'x', repeatable: true }),
  times: option({ parse: integer }),
} as const;

const sample = plugin({
  name: 'sample',
  version: '1.2.0',
  about: 'Has commands',
  commands: {
    greet: command({
      about: 'Greets',
      arguments: arguments_,
      run({ who, rest, language, dryRun, loud, times }) {
        // The types are inferred from the declarations.
        const typed: [string, string[], 'en' | 'de', boolean, number, number | undefined] = [who, rest, language, dryRun, loud, times];
        return { data: typed };
      },
    }),
    inner: group({ about: 'Has more', commands: { none: command({ about: 'Does nothing', run() {} }) } }),
    ask: command({
      about: 'Asks',
      arguments: { name: positional({}) },
      async run({ name }, session) {
        const { who, kinds, sure, pet } = await session.ask({
          who: name ?? text('Who', { flag: '--who', check: (who) => (who === 'x' ? 'must not be `x`' : undefined) }),
          kinds: multiselect('Kinds', ['a', 'b'], { default: ['a'] }),
          sure: confirm('Sure', { default: true }),
          pet: select('Pet', ['cat', { value: 'dog', label: 'Dog' }]),
        });
        const typed: [string, ('a' | 'b')[], boolean, 'cat' | 'dog'] = [who, kinds, sure, pet];
        return { data: typed };
      },
    }),
    login: command({
      about: 'Asks for a secret',
      async run(_, session) {
        const { token } = await session.ask({ token: password('Token') });
        session.output('first\n');
        return { text: `${token.length}\n` };
      },
    }),
    read: command({
      about: 'Reads',
      async run(_, session) {
        return new TextDecoder().decode(await session.stdin());
      },
    }),
  },
});

const data = async (...words: string[]) => (await run(sample, ['greet', ...words])).data;
const message = async (...words: string[]) => (await run(sample, words)).failure?.message;

test('words become typed values', async () => {
  assert.deepEqual(await data('ada'), ['ada', [], 'en', false, 0, undefined]);
  assert.deepEqual(await data('-xnxl', 'de', 'ada', 'b', '--times=3', 'c', '--', '-d', 'e'), ['ada', ['b', 'c', '-d', 'e'], 'de', true, 2, 3]);
  assert.deepEqual(await data('ada', '-lde', '--dry-run', '--json', '-v'), ['ada', [], 'de', true, 0, undefined]);
});

test('all problems are reported at once, and no word that may be a secret is shown', async () => {
  assert.equal(await message('greet'), '`who` is missing');
  const { failure, exit } = await run(sample, ['greet', '--language', 'fr', '--times', 'x', '--nope']);
  assert.equal(exit, 2);
  const problems = 'unexpected argument `--nope`; `who` is missing; `--language` must be one of: en, de; `--times` must be a whole number';
  assert.equal(failure?.message, `4 problems: ${problems}`);
  assert.deepEqual(failure?.data, {
    code: 'usage',
    fields: [
      { field: 'who', problem: 'missing' },
      { field: 'language', flag: '--language', problem: 'must be one of: en, de' },
      { field: 'times', flag: '--times', problem: 'must be a whole number' },
    ],
    hints: ['bot-cli sample greet --help'],
  });
  assert.equal(await message('greet', 'ada', '--times'), '`--times` needs a value');
  assert.equal(await message('greet', 'ada', '--dry-run=1'), '`--dry-run` takes no value');
  assert.equal(await message('greet', 'ada', '--times', '1', '--times', '2'), '`--times` can be given only once');
  assert.equal(await message('ask', 'ada', 'sk-1234'), 'unexpected argument, which is not shown because it may be a secret');
  assert.equal(await message('grete'), '`bot-cli sample` has no such command `grete`');
});

test('help and version are results', async () => {
  const { text, data } = await run(sample, ['greet', '--help']);
  assert.deepEqual(data, { help: text });
  assert.equal(
    text,
    `Greets

Usage: bot-cli sample greet [OPTIONS] <WHO> [REST...]

Arguments:
  <WHO>   Who is greeted
  <REST>

Options:
  -l, --language <LANGUAGE>  In which language [default: en] [possible values: en, de]
  -n, --dry-run              Change nothing
  -x, --loud
      --times <TIMES>
  -h, --help                 Print help
`,
  );
  assert.match((await run(sample, [])).text, /Commands:\n {2}greet {2}Greets\n {2}inner {2}Has more\n/);
  assert.deepEqual((await run(sample, ['--version'])).data, { name: 'sample', version: '1.2.0' });
  assert.equal((await run(sample, ['inner', 'none'])).exit, 0);
});

test('completes words', async () => {
  const values = async (...argv: string[]) => {
    const reply = await request(sample, 'complete', { argv });
    assert.ok('result' in reply);
    return (reply.result as { candidates: { value: string }[] }).candidates.map(({ value }) => value);
  };
  assert.deepEqual(await values('greet', 'm'), ['moon', 'm']);
  assert.deepEqual(await values('greet', '--language', 'd'), ['de']);
  assert.deepEqual(await values('greet', '--language=d'), ['--language=de']);
  assert.deepEqual(await values('greet', 'ada', '-l', ''), ['en', 'de']);
  assert.deepEqual(await values('inner', ''), []);
});

test('asks with going back, and again where an answer is refused', async () => {
  const script = ['x', 'ada', ['b'], BACK, BACK, 'bob', ['a', 'b'], false, 'dog'];
  const ran = await run(sample, ['ask'], { answers: () => script.shift() });
  assert.deepEqual(ran.data, ['bob', ['a', 'b'], false, 'dog']);
  const seen = ran.asked.map(({ key, back, problem, default: preset }) => [key, back, problem ?? preset]);
  assert.deepEqual(seen, [
    ['who', false, undefined],
    ['who', false, 'must not be `x`'],
    ['kinds', true, ['a']],
    ['sure', true, true],
    ['kinds', true, ['b']],
    ['who', false, 'ada'],
    ['kinds', true, ['b']],
    ['sure', true, true],
    ['pet', true, undefined],
  ]);
  const cancelled = await run(sample, ['ask', 'ada'], { answers: {} });
  assert.equal(cancelled.exit, 130);
});

test('where nobody can be asked, all open questions are reported', async () => {
  const { failure, exit } = await run(sample, ['ask']);
  assert.equal(exit, 2);
  assert.equal(failure?.data.code, 'input_required');
  assert.deepEqual(failure?.data.inputs?.map(({ key }) => key), ['who', 'pet']);
  assert.deepEqual(failure?.data.hints, ['answer with --who']);
  const reply = await request(sample, 'run', { argv: ['ask'], answers: { who: 'ada', pet: 'cow' } });
  assert.ok('error' in reply);
  assert.equal(reply.error.message, '`pet` is not a possible answer');
});

test('a part of the result is shown at once, or with the rest', async () => {
  assert.equal((await run(sample, ['login'], { answers: { token: 'abc' } })).text, 'first\n3\n');
  const reply = await request(sample, 'run', { argv: ['login'], answers: { token: 'abc' }, capabilities: {} });
  assert.deepEqual(reply, { result: { text: 'first\n3\n' } });
});

test('reads what is piped in', async () => {
  assert.equal((await run(sample, ['read'], { stdin: 'žluť' })).text, 'žluť');
  assert.equal((await run(sample, ['read'])).failure?.data.code, 'no_stdin');
});
