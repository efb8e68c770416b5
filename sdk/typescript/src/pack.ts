// Provider packs with computed data. They run only once, to build their manifest.

import { type About, plain, type Plugin } from './plugin.js';

/** A service. `PACKS.md` documents the other members, and `bot-cli plugin check` validates them. */
export type PackService = { id: string; kind: string; label: string; module: string; class: string; [member: string]: unknown };
type Variable = { about: string; secret?: boolean };
export type PackProvider = { label: string; site: string; env?: Record<string, Variable>; service: PackService[] };

type Versions = { catalogue: string; framework?: string; requires?: Record<string, string> };
type Settings = About & Versions & { providers: PackProvider[] };

/** Declares a provider pack. `name` is the `NAME` in `bot-cli-pack-NAME`. */
export const providerPack = ({ name, ...data }: Settings): Plugin => ({
  manifest: plain({ protocol: '1.0', name: `pack-${name}`, role: 'provider-pack', ...data }),
  methods: {},
});
