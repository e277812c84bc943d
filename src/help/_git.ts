/** git's own: `-h` for the short help, `--[no-]name`, `[=<when>]`, groups without a colon. */

import type { Layout } from "./_layout.ts";
import type { Section } from "./_sections.ts";

export const git: Layout = {
  name: "git",
  recognises: (text) => /^usage: git\b/m.test(text),
  listsCommands: ({ lines }: Section) => {
    const full = lines.filter(({ text }) => text !== "");
    return full.length > 0 &&
      full.every(({ indent, text }) => indent === 3 && /^[a-z][\w-]+ {2,}[A-Z]/.test(text));
  },
  namesCommandsInUsage: true,
};
