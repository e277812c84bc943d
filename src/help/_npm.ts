/** npm's own: values in the usage only, each option described below it without them. */

import type { Layout } from "./_layout.ts";

export const npm: Layout = {
  name: "npm",
  recognises: (text) => /^Options:\n\[-/m.test(text) || /^npm <command>$/m.test(text),
  clean: withValues,
};

/** Puts the values in the brackets behind the names they belong to. */
function withValues(text: string): string {
  const [, brackets] = /^Options:\n((?:\[.*\n)+)/m.exec(text) ?? [];
  if (brackets === undefined) return text;
  const values = new Map<string, string>();
  for (const [, names, value] of brackets.replace(/\n/g, " ").matchAll(/\[(-[\w|-]+) (<[^>]+>)/g)) {
    const isRepeated = brackets.includes(`${value} [${names}`);
    values.set(names!, value!.replace(/[<>]/g, (mark) => mark) + (isRepeated ? "..." : ""));
  }
  return text.replace(/^ {2}(-[\w|-]+)$/gm, (line, names: string) => {
    const value = values.get(names);
    return value === undefined ? line : `  ${names} ${value}`;
  });
}
