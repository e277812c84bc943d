/** Node's commander: `[options]` in the usage, `<value>` must be given, `[value]` may be. */

import type { Layout } from "./_layout.ts";

export const commander: Layout = {
  name: "commander",
  recognises(text) {
    return /^Usage: .*\[options\]/m.test(text) &&
      /^ +-h, --help +display help for command|^Options:?$/m.test(text);
  },
  clean: (text) =>
    text.replace(/^[─⬡].*$/gm, "").replace(/^(Commands|Options|Global options)$/gmi, "$1:"),
  lowerCaseArguments: false,
};
