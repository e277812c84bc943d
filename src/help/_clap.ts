/** Rust's clap: `-f, --file <FILE>`, arguments in brackets, values in `[possible values: …]`. */

import type { Layout } from "./_layout.ts";

export const clap: Layout = {
  name: "clap",
  recognises(text) {
    const hasUsage =
      /^Usage: \S+.*(?:\[OPTIONS\]|<[A-Z]|\[[A-Z]+\]|\[COMMAND\]|<COMMAND>)|^USAGE:\n {4}\S/m.test(
        text,
      );
    const printsHelp = /^\s+-h, --help\s+Print(?:s)? (?:this )?help|^\s+-h, --help\n?\s+Print/m
      .test(text);
    return hasUsage &&
        (printsHelp || /\[possible values: |^(?:FLAGS|ARGS|OPTIONS):$/m.test(text)) ||
      /^Options:\n {2,6}(?:-\w, )?--?[\w-]+.*<[A-Z_]+>/m.test(text) && printsHelp &&
        !/\[options\]/.test(text);
  },
  typeWords: {
    KEY: { type: "string" },
    "KEY=VALUE": { type: "string" },
  },
};
