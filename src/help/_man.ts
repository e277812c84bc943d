/** Manual pages, and help that is printed like one: NAME, SYNOPSIS, OPTIONS at the margin. */

import type { Layout } from "./_layout.ts";
import { readOptionHead } from "./_option_head.ts";

export const man: Layout = {
  name: "man",
  recognises: (text) => /^NAME$/m.test(text) && /^SYNOPSIS$/m.test(text),
  // "COMMAND is one of the following:" is indented more than the headings
  clean: (text) => text.replace(/^ +(?:[A-Z]+ is one of the following):\n/gm, ""),
  readHead(head) {
    // aws puts the type where others put the description
    const typed =
      /^(--[\w-]+) \((boolean|string|integer|int|float|double|long|list|map|structure|blob|timestamp)\)/
        .exec(head);
    if (typed !== null) {
      const word = typed[2]!;
      return readOptionHead(word === "boolean" ? typed[1]! : `${typed[1]} <${word}>`);
    }
    return readOptionHead(head.replace(/; default=("[^"]*"|\S+)/, ""));
  },
  typeWords: {
    string: { type: "string" },
    integer: { type: "integer" },
    int: { type: "integer" },
    long: { type: "integer" },
    float: { type: "number" },
    double: { type: "number" },
    list: { type: "string", list: { kind: "spread" } },
  },
  refine(option, _said, { head }) {
    const [, written] = /; default=("[^"]*"|\S+)/.exec(head) ?? [];
    if (written === undefined || option.value === undefined) return option;
    const { value } = option;
    const isNumber = value.type === "string" && /^\d+$/.test(written);
    const typed = isNumber ? { type: "integer" as const, guesses: [...value.guesses, "type"] } : {};
    return { ...option, value: { ...value, ...typed, default: written.replace(/^"(.*)"$/, "$1") } };
  },
};
