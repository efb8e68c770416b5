// Secrets backends: the methods of BACKENDS.md over a store.

import { ErrorReply, refusedVersion } from './failure.js';
import { type About, type Method, plain, type Plugin } from './plugin.js';
import type { Session } from './session.js';

type Awaitable<T> = T | Promise<T>;

/** What the user chose; a store chooses what is absent. */
export type Scope = { organization?: string; region?: string; settings: Record<string, string> };

/** Where the store keeps its sets, and its rules. */
export interface Opened {
  organization?: string;
  place: string;
  regions?: { all: { code: string; name?: string }[]; default?: string };
  names?: { shortest: number; longest: number; capitals: boolean };
  limits?: { value_bytes?: number; set_bytes?: number; keys?: number };
}

type Status = 'ready' | 'pending' | 'failed';
type Kind = 'secret' | 'image_pull_secret';
export type SecretSet = { name: string; kind: Kind; region?: string; status?: Status; error?: string; keys?: string[] };

/** The state of the set when the client read it. */
export type Prior = 'absent' | { keys: string[] };
export type Put = { name: string; region?: string; entries: Record<string, string>; prior: Prior };
export type PutImagePullSecret = { name: string; region?: string; host: string; credentials: string; prior: Prior };

/** A store that is open. The optional methods are its abilities. What changes something returns once everyone sees the change. */
export interface Store {
  readonly opened: Opened;
  list(region: string | undefined, session: Session): Awaitable<SecretSet[]>;
  get(name: string, session: Session): Awaitable<SecretSet | null>;
  values?(name: string, session: Session): Awaitable<Record<string, string> | null>;
  credentials?(name: string, session: Session): Awaitable<{ host: string; credentials: string }>;
  organizations?(session: Session): Awaitable<{ name: string; label?: string }[]>;
  put(change: Put, session: Session): Awaitable<void>;
  putImagePullSecret?(change: PutImagePullSecret, session: Session): Awaitable<void>;
  /** Returns the keys that the set did not have. */
  unset(change: { name: string; keys: string[]; prior?: Prior }, session: Session): Awaitable<string[]>;
  /** Returns whether there was such a set. */
  delete(change: { name: string; prior?: Prior }, session: Session): Awaitable<boolean>;
}

const STATUS = { unreachable: 7, timed_out: 7, unavailable: 7, not_signed_in: 4, not_allowed: 4, invalid_setting: 2 };
type Refusal = 'not_found' | 'no_place' | 'conflict' | 'foreign' | 'immutable' | 'being_deleted' | 'too_large' | 'invalid_name';
type Code = keyof typeof STATUS | Refusal | 'not_text' | 'refused' | 'not_supported' | 'internal';

interface StoreFailureData {
  /** What became of a change; claim no more than is known. Absent means unknown. */
  effect?: 'not_done' | 'done' | 'unknown' | { partly: { done: string[]; unknown: string[]; not_done: string[] } };
  hints?: string[];
  retry_after?: number;
  bytes?: { size: number; limit: number };
  key?: string;
}

/** A failure of a store. No value of a set may be in its message. */
export class StoreFailure extends ErrorReply {
  constructor(code: Code, message: string, data: StoreFailureData = {}) {
    super({ ...STATUS }[code as string] ?? 1, message, { code, ...data });
  }
}

/** The name is `NAME` in `--backend NAME`. */
interface Settings extends About {
  settings?: { name: string; about: string; required?: boolean }[];
  requires?: Record<string, string>;
  /** Opens the store, without changing anything. */
  open(scope: Scope, session: Session): Awaitable<Store>;
}

type Params = Scope & Put & PutImagePullSecret & { keys: string[]; secrets: string };
type Serve = (store: Store, params: Params, session: Session) => Awaitable<object>;

const METHODS: Record<string, [required: (keyof Params)[], serve: Serve]> = {
  list: [[], async (store, { region }, session) => ({ sets: await store.list(region, session) })],
  get: [['name'], async (store, { name }, session) => ({ set: await store.get(name, session) })],
  values: [['name'], async (store, { name }, session) => ({ values: await able(store, 'values')(name, session) })],
  credentials: [['name'], (store, { name }, session) => able(store, 'credentials')(name, session)],
  organizations: [[], async (store, _, session) => ({ organizations: await able(store, 'organizations')(session) })],
  put: [['name', 'entries', 'prior'], async (store, params, session) => (await store.put(params, session)) ?? {}],
  put_image_pull_secret: [
    ['name', 'host', 'credentials', 'prior'],
    async (store, params, session) => (await able(store, 'putImagePullSecret')(params, session)) ?? {},
  ],
  unset: [['name', 'keys'], async (store, params, session) => ({ missing: await store.unset(params, session) })],
  delete: [['name'], async (store, params, session) => ({ deleted: await store.delete(params, session) })],
};

function able<M extends 'values' | 'credentials' | 'organizations' | 'putImagePullSecret'>(store: Store, name: M): NonNullable<Store[M]> {
  const method = store[name];
  if (!method) throw new StoreFailure('not_supported', 'this backend can not do that', { effect: 'not_done' });
  return method.bind(store) as NonNullable<Store[M]>;
}

export function secretsBackend({ name, open, ...about }: Settings): Plugin {
  let store: Store | undefined;
  const begin: Method = async (params, session) => {
    check(params, []);
    if (store) throw new ErrorReply(-32600, '`secrets/open` was served already');
    const refused = refusedVersion(params.secrets);
    if (refused) throw refused;
    const opened = await open({ settings: {}, ...params }, session);
    store = opened;
    const pull = opened.putImagePullSecret && opened.credentials;
    const can = { values: opened.values, image_pull_secrets: pull, organizations: opened.organizations };
    return { ...opened.opened, can: Object.entries(can).flatMap(([name, isThere]) => (isThere ? name : [])) };
  };
  const method = ([required, serve]: [string[], Serve]): Method => async (params, session) => {
    check(params, required);
    if (!store) throw new ErrorReply(-32600, 'the first request must be `secrets/open`');
    keepRules(params as Params, store.opened);
    return serve(store, params as Params, session);
  };
  const served = Object.entries(METHODS).map(([name, it]) => [`secrets/${name}`, method(it)]);
  return {
    manifest: plain({ protocol: '1.0', name: `secrets-${name}`, role: 'secrets-backend', secrets: '1.0', ...about }),
    methods: { 'secrets/open': begin, ...Object.fromEntries(served) },
    isStateful: true,
    finished: ['put', 'put_image_pull_secret', 'unset', 'delete'].map((name) => `secrets/${name}`),
  };
}

const isText = (value: unknown) => typeof value === 'string';
const areTexts = (value: unknown, isList = false) =>
  Object(value) === value && Array.isArray(value) === isList && Object.values(value as object).every(isText);
const FORMS: Record<string, (value: unknown) => boolean> = {
  ...{ organization: isText, region: isText, name: isText, host: isText, credentials: isText },
  keys: (value) => areTexts(value, true),
  entries: (value) => areTexts(value),
  settings: (value) => areTexts(value),
  prior: (value) => value === 'absent' || Object(value) === value,
};

/** Refuses parameters that are missing or have another form. */
function check(params: Record<string, unknown>, required: string[]): void {
  for (const [name, isRight] of Object.entries(FORMS)) {
    if ((params[name] ?? null) === null) delete params[name];
    if (name in params ? isRight(params[name]) : !required.includes(name)) continue;
    throw new ErrorReply(-32602, `\`${name}\` is missing or has another form`);
  }
}

/** Refuses a new name or a value that the store does not allow. */
function keepRules({ name, prior, entries = {} }: Params, { names, limits }: Opened): void {
  const { shortest, longest, capitals } = names ?? { shortest: 1, longest: 63, capitals: true };
  const isName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(capitals ? name?.toLowerCase() : name);
  if (prior === 'absent' && !(isName && name.length >= shortest && name.length <= longest)) {
    const message = `the name must have ${shortest} to ${longest} ${capitals ? '' : 'lower-case '}letters, digits and hyphens`;
    throw new StoreFailure('invalid_name', message, { effect: 'not_done' });
  }
  const limit = limits?.value_bytes ?? Infinity;
  const size = Math.max(0, ...Object.values(entries).map((value) => Buffer.byteLength(value)));
  if (size <= limit) return;
  throw new StoreFailure('too_large', `a value must have at most ${limit} bytes`, { effect: 'not_done', bytes: { size, limit } });
}
