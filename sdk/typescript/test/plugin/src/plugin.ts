// The plugin that the process tests run.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { command, Failure, flag, option, password, plugin, positional, text } from 'bot-cli-sdk';

console.log('a module prints while it is loaded');

export default plugin({
  name: 'sample',
  version: '1.0.0',
  about: 'Does what it is told \u2028',
  commands: {
    greet: command({
      about: 'Greets',
      arguments: { who: positional({ required: true }) },
      run({ who }) {
        console.log('a stray print');
        return `Hello, ${who}\n`;
      },
    }),
    echo: command({
      about: 'Returns what it is given',
      arguments: { words: positional({ repeatable: true }), quick: flag({ short: 'q' }), note: option({}) },
      result: { type: 'object', required: ['words'] },
      run({ words, quick, note }, session) {
        session.progress('Echoing', 1, 2);
        for (const level of ['warn', 'note', 'info', 'debug'] as const) session.log(level, level, { level });
        session.output('part\n', { part: 1 });
        const { format, verbosity, quiet } = session.context;
        return { text: 'echoed\n', data: { words, quick, note, format, verbosity, quiet }, exit: 5 };
      },
    }),
    describe: command({
      about: 'Returns the description of the project',
      async run(_, session) {
        return { data: await session.project() };
      },
    }),
    spin: command({
      about: 'Is busy for ever',
      run(_, session) {
        session.progress('spinning');
        for (;;);
      },
    }),
    wait: command({
      about: 'Waits for another program',
      run(_, session) {
        session.progress('waiting');
        execFileSync('sleep', ['30']);
      },
    }),
    tidy: command({
      about: 'Cleans up when it is cancelled',
      arguments: { file: positional({ required: true }) },
      async run({ file }, session) {
        try {
          session.progress('working');
          await sleep(30_000, undefined, { signal: session.signal });
        } finally {
          writeFileSync(file, 'tidy');
        }
      },
    }),
    guarded: command({
      about: 'Finishes a step',
      async run(_, session) {
        await session.guard(async () => {
          session.progress('guarded');
          await sleep(900);
        });
        return 'finished\n';
      },
    }),
    ask: command({
      about: 'Asks',
      async run(_, session) {
        const { who, token } = await session.ask({ who: text('Who'), token: password('Token') });
        if (token === 'crash') throw new TypeError(`a defect with ${token}`);
        if (token === 'reject') {
          void Promise.reject(new RangeError(`a defect with ${token}`));
          await sleep(30_000);
        }
        return `${who} ${token.length}\n`;
      },
    }),
    fail: command({
      about: 'Fails',
      run() {
        throw new Failure('not_allowed', 'no_access', 'the door is shut', { hints: ['knock'] });
      },
    }),
    reject: command({
      about: 'Has a defect in what nobody awaits',
      async run() {
        void Promise.reject(new RangeError('nobody awaits this'));
        await sleep(30_000);
      },
    }),
    crash: command({
      about: 'Has a defect',
      run() {
        throw new TypeError('a defect');
      },
    }),
    exit: command({
      about: 'Ends',
      run() {
        process.exit(3);
      },
    }),
  },
});
