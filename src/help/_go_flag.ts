/** Go's own flag package: one dash, a type word, the description on the next line. */

import type { Layout } from "./_layout.ts";

export const goFlag: Layout = {
  name: "go flag",
  recognises(text) {
    // A name of one letter and its description share a line, separated by a tab
    return /^ {2}-\w\t|^ {2}-[\w.-]+(?: [\w.,=-]+)?\n {4}\t/m.test(text);
  },
  typeWords: {
    string: { type: "string" },
    value: { type: "string" },
    int: { type: "integer" },
    uint: { type: "integer" },
    float: { type: "number" },
    duration: { type: "string" },
  },
  lowerCaseArguments: true,
};
