// `bot-cli costs` estimates what a bot costs per hour of talk. `costs.json` in the project has the prices in cents per hour, by currency
// and service: `{"USD": {"deepgram_stt": 26}}`.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, option, plugin, type Question, text } from 'bot-cli-sdk';

type Prices = Record<string, number>;

const integer = { type: 'integer' };
const string = { type: 'string' };
const object = (properties: object) => ({ type: 'object', properties, required: Object.keys(properties) });

function prices(file: string, currency: string): Prices {
  try {
    const found: Prices = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8'))[currency] ?? {}) : {};
    if (Object.values(found).every(Number.isInteger)) return found;
  } catch {
    // Not JSON is no table either.
  }
  const hints = ['write it like {"USD": {"deepgram_stt": 26}}'];
  throw new Failure('usage', 'invalid_prices', `\`${file}\` is not a table of prices`, { hints });
}

const check = (answer: string) => (/^\d+$/.test(answer) ? undefined : 'must be a whole number');

export default plugin({
  name: 'costs',
  version: '1.0.0',
  about: 'Estimates what a bot costs per hour of talk',
  arguments: {
    currency: option({ about: 'Currency of the prices', values: ['USD', 'EUR', 'GBP'], default: 'USD' }),
  },
  result: object({
    project: string,
    currency: string,
    services: { type: 'array', items: object({ id: string, label: string, cents: integer }) },
    cents: integer,
  }),
  async run({ currency }, session) {
    const project = await session.project();
    const known = prices(join(project.root, 'costs.json'), currency);
    const questions: Record<string, Question<string>> = {};
    for (const { id, label } of project.services) {
      if (known[id] === undefined) questions[id] = text(`Price of ${label} in cents per hour (${currency})`, { check });
    }
    const answers = await session.ask(questions);
    const services = project.services.map(({ id, label }, index) => {
      session.progress(`Adding ${label}`, index, project.services.length);
      return { id, label, cents: known[id] ?? Number(answers[id]) };
    });
    const cents = services.reduce((sum, service) => sum + service.cents, 0);
    const rows = [...services, { label: 'Total', cents }];
    const lines = rows.map((row) => `${row.label.padEnd(24)}${(row.cents / 100).toFixed(2).padStart(8)} ${currency}\n`);
    return { text: lines.join(''), data: { project: project.name, currency, services, cents } };
  },
});
