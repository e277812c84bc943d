/** Finds the bundled config that defines a tool without parsing any: all of them are laid out alike. */

import { bundledConfigs } from "./bundled.ts";

/** The name of the bundled config with a tool that has, or had, the name `tool`. */
export function configOfBundled(tool: string): string | undefined {
  if (!/^\w{1,128}$/.test(tool)) return undefined;
  const definition = new RegExp(
    `^(?:  - name: ${tool}|    aliases: \\[(?:.*, )?${tool}\\b.*\\])$`,
    "m",
  );
  return bundledConfigs.entries().find(([, text]) => definition.test(text()))?.[0];
}
