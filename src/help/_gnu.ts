/** GNU's habit, and everything that has no layout of its own: getopt programs written by hand. */

import type { Layout } from "./_layout.ts";

/** The layout of last resort; it recognises whatever has a line for an option. */
export const gnu: Layout = {
  name: "gnu",
  recognises: () => true,
  lowerCaseArguments: false,
};
