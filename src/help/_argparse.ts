/** Python's argparse, and optparse before it: `-f FILE, --file FILE`. */

import type { Layout } from "./_layout.ts";

export const argparse: Layout = {
  name: "argparse",
  recognises(text) {
    return /^positional arguments:$/m.test(text) ||
      /^(?:options|optional arguments):\n\s+-h, --help\s+show (?:this )?(?:detailed )?help message and exit/im
        .test(text) ||
      /^\s+-h, --help\s+show (?:this help message and exit|help)\b/im.test(text) &&
        /^usage: /im.test(text) ||
      /^usage: \S+(?: [\w-]+)* \[-(?!.*\n?.*\[<options>)/.test(text.trimStart());
  },
  nestsCommands: true,
  lowerCaseArguments: true,
  refine(option) {
    const { value } = option;
    if (value === undefined || value.list?.kind !== "repeated") return option;
    // `--file FILE [FILE ...]`: the values follow one another, and a second option would replace the first
    const isSpread = !value.guesses.includes("list");
    return isSpread ? { ...option, value: { ...value, list: { kind: "spread" } } } : option;
  },
};
