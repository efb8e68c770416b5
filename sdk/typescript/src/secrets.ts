// Secrets backends: implements the methods of BACKENDS.md on top of a store.

import { ErrorReply, refusedVersion } from './failure.js';
import { type About, type Method, plain, type Plugin } from './plugin.js';
import { defect } from './serve.js';
import type { Session } from './session.js';

type Awaitable<T> = T | Promise<T>;
type Texts = Record<string, string>;

/** The user's choice of store. The backend chooses defaults for absent members. */
export type Scope = { organization?: string; region?: string; settings: Texts };

/** A short description of where secrets are stored, and limits on names and sizes. */
export interface Opened {
  place: string;
  organization?: string;
  regions?: { all: { code: string; name?: string }[]; default?: string };
  names?: { shortest: number; longest: number; capitals: boolean };
  limits?: { value_bytes?: number; set_bytes?: number; keys?: number };
}

/** A set of environment variables. */
export type Secret = { kind: 'secret'; region?: string; values: Texts };
/** The credentials of a container registry. */
export type PullSecret = { kind: 'image_pull_secret'; region?: string; host: string; credentials: string };
export type Stored = Secret | PullSecret;
/** An entry in a list of sets. */
export type Listed = { name: string; kind: Stored['kind']; region?: string; status?: 'ready' | 'pending' | 'failed'; error?: string };

/** A change to a set: its state before and after, or `undefined` if it does not exist. */
export type Change = { name: string; before: Stored | undefined; after: Stored | undefined };

export interface Store {
  readonly opened: Opened;
  sets(session: Session): Awaitable<Listed[]>;
  /** Returns a set exactly as it was stored. */
  load(name: string, session: Session): Awaitable<Stored | undefined>;
  /** Applies a change atomically. If it fails, a `Refusal` can report the effect. */
  apply(change: Change, session: Session): Awaitable<void>;
  /** Runs a step under a lock that prevents concurrent changes. */
  locked?<T>(step: () => Promise<T>): Promise<T>;
  organizations?(session: Session): Awaitable<string[]>;
}

const EXITS: Record<string, number> = { unreachable: 7, timed_out: 7, unavailable: 7, not_signed_in: 4, not_allowed: 4 };
/** The outcome of a change. If in doubt, use `unknown`. */
type Effect = 'not_done' | 'done' | 'unknown' | { partly: { done: string[]; unknown: string[]; not_done: string[] } };
type More = { hints?: string[]; retry_after?: number; bytes?: { size: number; limit: number }; key?: string };

/** A failure with a code from BACKENDS.md. The message must not contain a secret value. */
export class Refusal extends ErrorReply {
  constructor(code: string, message: string, effect?: Effect, more: More = {}) {
    super(EXITS[code] ?? 1, message, { code, ...(effect && { effect }), ...more });
  }
}

type Ability = 'values' | 'image_pull_secrets' | 'organizations';
interface Settings extends About {
  settings?: { name: string; about: string; required?: boolean }[];
  requires?: Texts;
  /** The supported abilities; defaults to all of them. */
  can?: Ability[];
  /** Opens the store without changing anything. Can ask questions. */
  open(scope: Scope, session: Session): Awaitable<Store>;
}

type Prior = 'absent' | { keys?: string[] };
type Params = Scope & { name: string; keys?: string[]; entries?: Texts; host: string; credentials: string; prior?: Prior };

/** The parameters that each method requires, and the ability it needs. */
const NEEDS: Record<string, string> = {
  ...{ open: '', list: '', organizations: '', get: 'name', values: 'name', credentials: 'name', delete: 'name', unset: 'name keys' },
  ...{ put: 'name entries prior', put_image_pull_secret: 'name host credentials prior' },
};
const ABILITIES: Record<string, Ability> = {
  ...{ values: 'values', credentials: 'values', organizations: 'organizations', put_image_pull_secret: 'image_pull_secrets' },
};

const valuesOf = (set?: Stored) => (set?.kind === 'secret' ? set.values : {});

async function answer(method: string, store: Store, params: Params, session: Session): Promise<object> {
  const { name, region } = params;
  if (/^(put|unset|delete)/.test(method)) return session.guard(() => change(method, store, params, session));
  if (method === 'list') return { sets: (await store.sets(session)).filter((set) => !region || set.region === region) };
  if (method === 'organizations') {
    const names = (await store.organizations?.(session)) ?? [store.opened.organization];
    return { organizations: names.flatMap((name) => (name === undefined ? [] : { name })) };
  }
  const set = await store.load(name, session);
  if (method === 'get') return { set: set ? plain({ name, kind: set.kind, region: set.region, keys: Object.keys(valuesOf(set)) }) : null };
  if (method === 'values') return { values: set?.kind === 'secret' ? set.values : null };
  if (set?.kind !== 'image_pull_secret') throw new Refusal('not_found', 'there is no such image pull secret');
  return { host: set.host, credentials: set.credentials };
}

async function change(method: string, store: Store, params: Params, session: Session): Promise<object> {
  const { name, keys = [] } = params;
  let effect = 'not_done' as Effect;
  const step = async () => {
    const before = await store.load(name, session);
    compare(method, params, before);
    const after = changed(method, params, before);
    if (after && method !== 'unset') keepRules(store.opened, name, before, after);
    effect = 'unknown';
    if (after !== before) await store.apply({ name, before, after }, session);
    effect = 'done';
    const missing = keys.filter((key) => !Object.hasOwn(valuesOf(before), key));
    return { unset: { missing }, delete: { deleted: before !== undefined } }[method] ?? {};
  };
  try {
    return await (store.locked?.(step) ?? step());
  } catch (problem) {
    const { error } = problem instanceof ErrorReply ? problem : new Refusal('internal', defect(problem));
    throw new ErrorReply(error.code, error.message, { effect, ...error.data });
  }
}

/** Throws if the set has changed since the client read it. */
function compare(method: string, { prior, keys, entries = {} }: Params, before?: Stored): void {
  const conflict = (message: string) => new Refusal('conflict', message);
  const kind = method === 'put_image_pull_secret' ? 'image_pull_secret' : 'secret';
  if (before && method !== 'delete' && before.kind !== kind) throw conflict('the set is of the other kind');
  if (!prior || (method === 'delete' && !before)) return;
  if (method !== 'unset' && (prior === 'absent') !== !before) throw conflict('the set was created or deleted since it was read');
  const [known, present] = [prior === 'absent' ? [] : (prior.keys ?? []), Object.keys(valuesOf(before))];
  const compared = method === 'delete' ? [...known, ...present] : (keys ?? Object.keys(entries));
  if (compared.some((key) => known.includes(key) !== present.includes(key))) throw conflict('its keys have changed since it was read');
}

/** Returns the set after the change, or `before` itself if nothing changes. */
function changed(method: string, { region, entries, host, credentials, keys = [] }: Params, before?: Stored): Stored | undefined {
  const [values, place] = [valuesOf(before), { ...(region && { region }), ...before }];
  if (method === 'put') return { ...place, kind: 'secret', values: { ...values, ...entries } };
  if (method === 'put_image_pull_secret') return { ...place, kind: 'image_pull_secret', host, credentials };
  if (method === 'delete') return undefined;
  const left = Object.entries(values).filter(([key]) => !keys.includes(key));
  return left.length < Object.keys(values).length ? { ...place, kind: 'secret', values: Object.fromEntries(left) } : before;
}

/** Throws if the name of a new set is invalid or the set exceeds the limits. */
function keepRules({ names, limits = {} }: Opened, name: string, before: Stored | undefined, after: Stored): void {
  const { shortest, longest, capitals } = names ?? { shortest: 1, longest: 63, capitals: true };
  const form = new RegExp(`^(?=.{${shortest},${longest}}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?$`, capitals ? 'i' : '');
  const message = `the name must have ${shortest} to ${longest} ${capitals ? '' : 'lower-case '}letters, digits and hyphens`;
  if (!before && !form.test(name)) throw new Refusal('invalid_name', message);
  const values = Object.entries(valuesOf(after)).map((texts) => texts.map((text) => Buffer.byteLength(text)));
  const value_bytes = Math.max(0, ...values.map(([, value = 0]) => value));
  const sizes = { value_bytes, set_bytes: values.flat().reduce((sum, size) => sum + size, 0), keys: values.length };
  for (const [rule, limit] of Object.entries(limits) as [keyof typeof sizes, number][]) {
    const bytes = rule !== 'keys' && { bytes: { size: sizes[rule], limit } };
    if (sizes[rule] > limit) throw new Refusal('too_large', `the limit \`${rule}\` is ${limit}`, 'not_done', { ...bytes });
  }
}

/** Declares a secrets backend. `name` is the `NAME` in `--backend NAME`. */
export function secretsBackend({ name, open, can = ['values', 'image_pull_secrets', 'organizations'], ...about }: Settings): Plugin {
  let store: Store | undefined;
  const serve = (method: string): Method => async (params, session) => {
    check(params, NEEDS[method]?.split(' ') ?? []);
    if ((method === 'open') !== !store) throw new ErrorReply(-32600, '`secrets/open` must be the first request, and only that');
    const ability = ABILITIES[method];
    if (ability && !can.includes(ability)) throw new Refusal('not_supported', 'this backend can not do that', 'not_done');
    if (store) return answer(method, store, params as Params, session);
    const refused = refusedVersion(params.secrets);
    if (refused) throw refused;
    const found = await open({ settings: {}, ...params }, session);
    const codes = found.opened.regions?.all.map(({ code }) => code) ?? [];
    if (params.region && !codes.includes(String(params.region))) throw new Refusal('not_found', 'there is no such region');
    store = found;
    return { ...found.opened, can };
  };
  return {
    manifest: plain({ protocol: '1.0', name: `secrets-${name}`, role: 'secrets-backend', secrets: '1.0', ...about }),
    methods: Object.fromEntries(Object.keys(NEEDS).map((name) => [`secrets/${name}`, serve(name)])),
    isStateful: true,
  };
}

/** An example value of the right type for each parameter except `prior`. */
const FORMS: Record<string, unknown> = {
  ...{ organization: '', region: '', name: '', host: '', credentials: '', keys: [], entries: {}, settings: {} },
};
const form = (value: unknown) => (Array.isArray(value) ? 'list' : typeof value);
const fits = (name: string, value: unknown) =>
  form(value) === form(FORMS[name]) && Object.values(Object(value)).every((text) => typeof text === 'string');

/** Throws if a parameter is missing or has the wrong type. */
function check(params: Record<string, unknown>, needs: string[]): void {
  for (const name of [...Object.keys(FORMS), 'prior']) {
    const value = params[name] ?? undefined;
    if (value === undefined) delete params[name];
    const isPrior = value === 'absent' || (form(value) === 'object' && fits('keys', (value as Params).keys ?? []));
    if (value === undefined ? !needs.includes(name) : name === 'prior' ? isPrior : fits(name, value)) continue;
    throw new ErrorReply(-32602, `\`${name}\` is missing or has another form`);
  }
}
