// Keeps secrets in a folder that only its user can read, not encrypted: `bot-cli cloud secrets list --backend @SHORT@`.

import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { secretsBackend, StoreFailure, type Prior, type Put, type PutImagePullSecret, type SecretSet, type Store } from 'bot-cli-sdk';

type Kept = { entries: Record<string, string> } | { host: string; credentials: string };

const isName = (text: string) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text);

/** A file for each set, replaced as a whole or not at all. */
class Folder implements Store {
  readonly opened;

  constructor(private readonly root: string, private readonly organization: string) {
    const names = { shortest: 1, longest: 63, capitals: false };
    this.opened = { organization, place: `${root}, not encrypted`, names, limits: { value_bytes: 1048576 } };
  }

  list(): SecretSet[] {
    const files = there(() => readdirSync(join(this.root, this.organization))) ?? [];
    const names = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -5));
    return names.flatMap((name) => this.get(name) ?? []).map(({ keys: _, ...set }) => set);
  }

  get(name: string): SecretSet | null {
    const kept = this.read(name);
    if (!kept) return null;
    return 'entries' in kept
      ? { name, kind: 'secret', keys: Object.keys(kept.entries).sort() }
      : { name, kind: 'image_pull_secret' };
  }

  values(name: string): Record<string, string> | null {
    const kept = this.read(name);
    return kept && 'entries' in kept ? kept.entries : null;
  }

  credentials(name: string): { host: string; credentials: string } {
    const kept = this.read(name);
    if (!kept || 'entries' in kept) throw new StoreFailure('not_found', 'there is no such image pull secret');
    return kept;
  }

  organizations(): { name: string }[] {
    const names = there(() => readdirSync(this.root)) ?? [];
    return [...new Set([...names, this.organization])].sort().map((name) => ({ name }));
  }

  put({ name, entries, prior }: Put): void {
    const kept = this.before(name, prior);
    if (kept && !('entries' in kept)) throw conflict('the set is an image pull secret');
    this.write(name, { entries: { ...kept?.entries, ...entries } }, prior);
  }

  putImagePullSecret({ name, host, credentials, prior }: PutImagePullSecret): void {
    const kept = this.before(name, prior);
    if (kept && 'entries' in kept) throw conflict('the set is not an image pull secret');
    this.write(name, { host, credentials }, prior);
  }

  unset({ name, keys }: { name: string; keys: string[] }): string[] {
    const kept = this.read(name) ?? { entries: {} };
    if (!('entries' in kept)) throw conflict('an image pull secret has no keys');
    const missing = keys.filter((key) => !Object.hasOwn(kept.entries, key));
    for (const key of keys) delete kept.entries[key];
    if (missing.length < keys.length) this.write(name, kept, { keys: [] });
    return missing;
  }

  delete({ name }: { name: string }): boolean {
    if (!this.read(name)) return false;
    attempt('not_done', () => rmSync(this.file(name)));
    return true;
  }

  private file(name: string): string {
    return join(this.root, this.organization, `${name}.json`);
  }

  private read(name: string): Kept | null {
    const text = isName(name) ? there(() => readFileSync(this.file(name), 'utf8')) : undefined;
    return text === undefined ? null : attempt('not_done', () => JSON.parse(text) as Kept);
  }

  /** The set to change, if it is still there as the user was told. */
  private before(name: string, prior: Prior): Kept | null {
    const kept = this.read(name);
    if ((kept === null) !== (prior === 'absent')) throw conflict('the set was made or removed in the meantime');
    return kept;
  }

  private write(name: string, kept: Kept, prior: Prior): void {
    const folder = join(this.root, this.organization);
    const draft = join(folder, `.${name}.${process.pid}`);
    attempt('not_done', () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      try {
        synced(draft, 'w', (file) => writeSync(file, JSON.stringify(kept)));
        // A new file replaces nothing that another process made meanwhile.
        if (prior === 'absent') linkSync(draft, this.file(name));
        else renameSync(draft, this.file(name));
      } finally {
        rmSync(draft, { force: true });
      }
    });
    // It is there now, and not yet sure to survive a loss of power.
    attempt('unknown', () => synced(folder, 'r', () => undefined));
  }
}

function synced(path: string, flags: string, use: (file: number) => unknown): void {
  const file = openSync(path, flags, 0o600);
  try {
    use(file);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const conflict = (message: string) => new StoreFailure('conflict', message, { effect: 'not_done' });

/** What a failure of the system leaves is `effect`. Its words could have a value in them. */
function attempt<T>(effect: 'not_done' | 'unknown', step: () => T): T {
  try {
    return step();
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EEXIST') throw conflict('the set was made in the meantime');
    throw new StoreFailure('unavailable', `the files of the sets can't be used: ${code ?? 'one is damaged'}`, { effect });
  }
}

/** The result, or nothing if the file or folder is not there. */
function there<T>(look: () => T): T | undefined {
  return attempt('not_done', () => {
    try {
      return look();
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') return undefined;
      throw error;
    }
  });
}

export default secretsBackend({
  name: '@SHORT@',
  version: '0.1.0',
  about: 'Keep secrets in a folder',
  settings: [{ name: 'folder', about: 'The folder that keeps them (default: @NAME@ in the data folder)' }],
  open({ organization = 'default', region, settings }) {
    if (region) throw new StoreFailure('not_found', 'this backend has no regions');
    if (!/^\w[\w-]{0,62}$/.test(organization)) throw new StoreFailure('not_found', 'there is no such organization');
    const data = process.env.XDG_DATA_HOME ?? join(homedir(), '.local/share');
    return new Folder(resolve(settings.folder ?? join(data, '@NAME@')), organization);
  },
});
