// Greets somebody: `bot-cli @NAME@ world`. Without a name, it asks for one.

import { option, plugin, positional, text } from 'bot-cli-sdk';

const GREETINGS = { en: 'Hello', de: 'Hallo' };

export default plugin({
  name: '@NAME@',
  version: '0.1.0',
  about: 'Greets somebody',
  arguments: {
    who: positional({ about: 'Who is greeted', completion: () => ['world', 'moon'] }),
    language: option({ about: 'In which language', values: ['en', 'de'], default: 'en' }),
  },
  async run({ who: given, language }, session) {
    const { who } = await session.ask({ who: given ?? text('Who is greeted') });
    // Ctrl-C ends the work at any point. `session.guard` protects a step.
    session.progress(`Greeting ${who}`);
    return { text: `${GREETINGS[language]}, ${who}.\n`, data: { who, language } };
  },
});
