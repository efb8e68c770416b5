/** Takes an import out of a package that never runs what it imports. `next.config.ts` says which. */
export default function leaveOut(source) {
  const { unused } = this.getOptions();
  return source.replace(new RegExp(`^import (\\S+) from "${unused}";`, "m"), "const $1 = {};");
}
