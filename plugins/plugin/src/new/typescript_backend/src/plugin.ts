// A secrets backend: `bot-cli cloud secrets list --backend @SHORT@` works through it.
//
// It keeps all sets in one JSON file that only this user can read. **The file is not encrypted**: anyone who can read it, or a backup of it,
// can read every value. Replace `read` and `write` with your own storage.

import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Change, Refusal, secretsBackend, type Store, type Stored } from 'bot-cli-sdk';

/** The sets by `ORGANIZATION/NAME`. */
type Sets = Record<string, Stored>;

class FileStore implements Store {
  readonly opened;
  readonly lock;

  constructor(private readonly file: string, private readonly organization: string) {
    this.lock = `${file}.lock`;
    this.opened = { organization, place: `${file}, not encrypted`, limits: { value_bytes: 65536 } };
  }

  organizations() {
    const found = Object.keys(this.read()).map((path) => path.replace(/\/.*/, ''));
    return [...new Set([...found, this.organization])].sort();
  }

  sets() {
    const own = Object.entries(this.read()).filter(([path]) => path.startsWith(this.path('')));
    return own.map(([path, { kind }]) => ({ name: path.slice(this.path('').length), kind }));
  }

  load(name: string) {
    return this.read()[this.path(name)];
  }

  apply({ name, after }: Change) {
    const { [this.path(name)]: _, ...others } = this.read();
    this.write(after ? { ...others, [this.path(name)]: after } : others);
  }

  /**
   * Node.js has no `flock`. A lock that a killed process has left is removed by the user, as git's: two processes that both judged it to be
   * stale could both take it.
   */
  async locked<T>(step: () => Promise<T>) {
    this.failing(() => mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 }));
    for (const end = Date.now() + 4000; !this.failing(() => made(this.lock)); await sleep(10)) {
      if (Date.now() > end) throw new Refusal('unavailable', `\`${this.lock}\` is there; remove it if no process uses it`, 'not_done');
    }
    try {
      return await step();
    } finally {
      rmSync(this.lock, { force: true });
    }
  }

  private path(name: string): string {
    return `${this.organization}/${name}`;
  }

  /** A file that can't be read is never taken for an empty one: a change would delete what is there. */
  private read(): Sets {
    return this.failing(() => (entry(this.file) ? JSON.parse(readFileSync(this.file, 'utf8')) : {}));
  }

  /** Replaces the file in one step. */
  private write(sets: Sets): void {
    const draft = `${this.file}.new`;
    this.failing(() => {
      rmSync(draft, { force: true });
      writeFileSync(draft, JSON.stringify(sets, null, 1), { flag: 'wx', mode: 0o600, flush: true });
      renameSync(draft, this.file);
    });
  }

  failing<T>(step: () => T): T {
    try {
      return step();
    } catch {
      throw new Refusal('unavailable', `\`${this.file}\` can't be read or written`, 'not_done');
    }
  }
}

const entry = (path: string) => statSync(path, { throwIfNoEntry: false });

/** Makes the lock, unless it is there. */
function made(lock: string): boolean {
  try {
    writeFileSync(lock, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false;
    throw error;
  }
}

export default secretsBackend({
  name: '@SHORT@',
  version: '0.1.0',
  about: 'Keeps secret sets in a file of this user, not encrypted',
  settings: [{ name: 'file', about: 'File that keeps the sets (default: ~/.local/share/@NAME@/sets.json)' }],
  open({ organization = 'default', settings }, session) {
    if (!/^[\w.-]+$/.test(organization)) throw new Refusal('not_found', 'there is no such organization');
    const data = process.env.XDG_DATA_HOME || join(homedir(), '.local/share');
    const store = new FileStore(resolve(settings.file ?? join(data, '@NAME@/sets.json')), organization);
    const left = store.failing(() => entry(store.lock));
    if (left && Date.now() - left.mtimeMs > 60_000) session.log('warn', `a process that was killed has left \`${store.lock}\`: remove it`);
    return store;
  },
});
