// A voice for the browser's fake microphone: a buzz through the resonances of four vowels, a syllable each. Nobody would
// take it for a person, but a voice detector does.

const RATE = 16_000;
const SILENT_SECONDS = 8;
const SPEAKING_SECONDS = 1.6;
const SYLLABLE_SECONDS = 0.2;
/** The first three resonances of a, i, e and o, in Hz. */
const VOWELS = [
  [730, 1090, 2440],
  [270, 2290, 3010],
  [530, 1840, 2480],
  [570, 840, 2410],
];
const BANDWIDTHS = [80, 100, 140];

/** A WAV file: silence, then speech. */
export function voice() {
  const spoken = speech();
  const samples = new Int16Array(SILENT_SECONDS * RATE + spoken.length);
  samples.set(spoken, SILENT_SECONDS * RATE);
  const data = Buffer.from(samples.buffer);
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + data.length, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(RATE, 24);
  header.writeUInt32LE(RATE * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}

function speech() {
  const states = BANDWIDTHS.map(() => [0, 0]);
  let phase = 0;
  const samples = Float64Array.from({ length: SPEAKING_SECONDS * RATE }, (_, at) => {
    const time = at / RATE;
    phase += (120 * (1 + 0.15 * Math.sin(2 * Math.PI * 1.3 * time))) / RATE;
    const pulse = phase >= 1 ? 1 : 0;
    phase -= pulse;
    const vowel = VOWELS[Math.floor(time / SYLLABLE_SECONDS) % VOWELS.length];
    const loudness = Math.sqrt(Math.sin((Math.PI * (time % SYLLABLE_SECONDS)) / SYLLABLE_SECONDS));
    const parts = vowel.map((frequency, which) => {
      const radius = Math.exp((-Math.PI * BANDWIDTHS[which]) / RATE);
      const [last, before] = states[which];
      const now = pulse * (1 - radius) + 2 * radius * Math.cos((2 * Math.PI * frequency) / RATE) * last - radius * radius * before;
      states[which] = [now, last];
      return now / (which + 1);
    });
    return loudness * parts.reduce((sum, part) => sum + part);
  });
  const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  return Int16Array.from(samples, (sample) => (16_000 * sample) / loudest);
}
