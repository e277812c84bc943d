/** .NET's System.CommandLine: `-?, -h, --help`, `(REQUIRED)`, values between bars. */

import type { Layout } from "./_layout.ts";
import { readOptionHead } from "./_option_head.ts";
import type { Section } from "./_sections.ts";

export const dotnet: Layout = {
  name: "dotnet",
  recognises: (text) =>
    /^ +(?:-\?, -h|-h, \/h, -\?|-h, -\?|-\?), --help +Show help and usage information/m.test(text),
  readHead(head) {
    const read = readOptionHead(head.replace(/\s*\(REQUIRED\)$/, ""));
    const [, inner] = /<([\w.+-]+(?:\|[\w.+-]+)+)>/.exec(head) ?? [];
    if (read?.value === undefined || inner === undefined) return read;
    return { ...read, value: { ...read.value, choices: inner.split("|") } };
  },
  refine: (option, _said, { head }) => ({ ...option, required: /\(REQUIRED\)$/.test(head) }),
  // Commands may be grouped under titles of the program's own
  listsCommands: ({ title }: Section) => !/^(?:|description|arguments|aliases)$/i.test(title),
};
