/** Node's oclif: sections in capitals, `$` before the usage, `--name=<value>`. */

import type { Layout } from "./_layout.ts";
import { readOptionHead } from "./_option_head.ts";

export const oclif: Layout = {
  name: "oclif",
  recognises: (text) => /^USAGE\n {2}\$ \S/m.test(text),
  readHead(head) {
    const [, before, choices] = /^(.*)=<options?:? ?([^>]+)>/.exec(head) ?? [];
    const read = readOptionHead(before === undefined ? head : `${before}=<${choices}>`);
    // `--force...` may be repeated; `--plugin=<value>...` makes a list
    return read;
  },
};
