/** GNU's conventions, and everything without a layout of its own: getopt programs written by hand. */

import type { Layout } from "./_layout.ts";

/** The fallback layout, which recognises every text with a line for an option. */
export const gnu: Layout = {
  name: "gnu",
  recognises: () => true,
  lowerCaseArguments: false,
};
