#!/usr/bin/env node
// `build` writes the plugin as one executable with its manifest; `test` runs its tests.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const OUT = 'build';
const options = { bundle: true, platform: 'node', target: 'node20', format: 'cjs', logLevel: 'warning' };

// Standard output is for messages and results, even while modules are loading.
const QUIET = 'globalThis.console = new console.Console(process.stderr);\n';

mkdirSync(OUT, { recursive: true });
// Node.js runs a file without an extension as CommonJS only if the nearest `package.json` allows it.
writeFileSync(`${OUT}/package.json`, '{"type":"commonjs"}\n');
if (process.argv[2] === 'test') await test();
else await bundle(process.argv[3] ?? 'src/plugin.ts');

async function bundle(source) {
  const contents = `import { main } from 'bot-cli-sdk';\nimport plugin from './${source}';\nmain(plugin);\n`;
  const entry = { contents, resolveDir: '.', sourcefile: 'main.ts', loader: 'ts' };
  const built = await build({ ...options, stdin: entry, write: false });
  const code = QUIET + built.outputFiles[0].text;
  const manifest = described(code);
  const file = `${OUT}/bot-cli-${manifest.name}`;
  // These two characters would end the comment line.
  const line = JSON.stringify(manifest).replace(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`);
  // The old file may be running.
  const draft = `${OUT}/.bot-cli-${manifest.name}.${process.pid}`;
  try {
    writeFileSync(draft, `#!/usr/bin/env node\n// ${'bot-cli-plugin'}: ${line}\n${code}`);
    chmodSync(draft, 0o755);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  console.log(`built ${file}`);
}

/** Returns the manifest, as the plugin describes itself. */
function described(code) {
  const file = `${OUT}/.described.cjs`;
  writeFileSync(file, code);
  const input = '{"jsonrpc":"2.0","id":1,"method":"describe","params":{"protocol":"1.0"}}\n';
  const ran = spawnSync(process.execPath, [file], { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'inherit'] });
  rmSync(file);
  if (ran.status !== 0) process.exit(1);
  return JSON.parse(ran.stdout).result;
}

async function test() {
  const tests = readdirSync('src').filter((name) => name.endsWith('.test.ts'));
  rmSync(`${OUT}/tests`, { recursive: true, force: true });
  await build({ ...options, entryPoints: tests.map((name) => `src/${name}`), outdir: `${OUT}/tests` });
  const files = tests.map((name) => `${OUT}/tests/${name.replace(/ts$/, 'js')}`);
  process.exit(spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' }).status ?? 1);
}
