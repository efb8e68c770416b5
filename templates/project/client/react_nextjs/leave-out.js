/** Takes out of a package what is never used. `next.config.ts` says which imports. */
export default function leaveOut(source) {
  const { imports } = this.getOptions();
  const without = imports.reduce((left, unused) => left.replace(new RegExp(`^import (\\S+) from "${unused}";`, "m"), "const $1 = {};"), source);
  return without.replace(/^globalThis\.\w+ = [\w$]+;$/gm, "");
}
