// A library for writing bot-cli plugins: commands, secrets backends and provider packs.

export const version = '0.1.0';

export { flag, integer, option, positional, type Argument, type Arguments, type Candidate, type Values } from './arguments.js';
export { command, group, type Command, type Group, type Outcome } from './command.js';
export { Failure, type Exit, type Field } from './failure.js';
export { main } from './main.js';
export { providerPack, type PackProvider, type PackService } from './pack.js';
export { plugin, type Plugin } from './plugin.js';
export { confirm, multiselect, password, Question, select, text, type Choice } from './question.js';
export { Refusal, secretsBackend, type Change, type Listed, type Opened, type Scope, type Store, type Stored } from './secrets.js';
export { project, type Context, type Project, type Service, type Session } from './session.js';
