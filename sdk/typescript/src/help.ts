// Formats the help of a command.

import { type Argument, candidates, longName, valueName } from './arguments.js';
import { declared, isGroup } from './command.js';
import type { Reading } from './parse.js';

export function help({ path, node }: Reading): string {
  const sections: Record<string, [name: string, about: string][]> = {};
  const add = (heading: string, name: string, about = '') => (sections[heading] ??= []).push([name, about]);
  const shown = declared(node).filter(([, { settings }]) => !settings.hidden);
  const usage = ['Usage:', ...path];
  if (shown.some(([, { kind }]) => kind !== 'positional')) usage.push('[OPTIONS]');
  if (isGroup(node)) {
    usage.push('COMMAND');
    for (const [name, { about, hidden }] of Object.entries(node.commands)) if (!hidden) add('Commands', name, about);
  }
  for (const [key, argument] of shown) {
    const { short, required, repeatable } = argument.settings;
    const value = `<${valueName(key)}>`;
    if (argument.kind === 'positional') {
      const name = `${value}${repeatable ? '...' : ''}`;
      usage.push(required ? name : `[${name.replace(/[<>]/g, '')}]`);
      add('Arguments', value, about(argument));
    } else {
      const name = `${short ? `-${short}, ` : '    '}--${longName(key, argument)}`;
      add('Options', argument.kind === 'flag' ? name : `${name} ${value}`, about(argument));
    }
  }
  add('Options', '-h, --help', 'Print help');
  const parts = Object.entries(sections).map(([heading, rows]) => {
    const width = Math.max(...rows.map(([name]) => name.length));
    return [`${heading}:`, ...rows.map(([name, about]) => `  ${name.padEnd(width)}  ${about}`.trimEnd())].join('\n');
  });
  return `${[node.details ?? node.about, usage.join(' '), ...parts].join('\n\n')}\n`;
}

function about({ settings: { about = '', default: preset, values } }: Argument): string {
  const possible = values && `[possible values: ${candidates(values).map(({ value }) => value).join(', ')}]`;
  return [about, preset && `[default: ${preset}]`, possible].filter(Boolean).join(' ');
}
