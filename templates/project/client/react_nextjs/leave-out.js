/** Removes unused imports from a package. `next.config.ts` lists them. */
export default function leaveOut(source) {
  const { imports } = this.getOptions();
  const without = imports.reduce((left, unused) => left.replace(new RegExp(`^import (\\S+) from "${unused}";`, "m"), "const $1 = {};"), source);
  return without.replace(/^globalThis\.\w+ = [\w$]+;$/gm, "");
}
