/** Finds the bundled config that defines a tool without parsing any: all of them are laid out alike. */

import { bundledConfigs } from "./bundled.ts";

/** The name of the bundled config with a tool that has, or had, the name `tool`. */
export function configOfBundled(tool: string): string | undefined {
  if (!/^\w{1,128}$/.test(tool)) return undefined;
  const definition = new RegExp(
    `^(?:  - name: ${tool}|    aliases: \\[(?:.*, )?${tool}\\b.*\\])$`,
    "m",
  );
  // Most tools are named after their config, whose text is then the only one read
  const likely = tool.slice(0, tool.indexOf("_"));
  return [likely, ...bundledConfigs.keys()].find((name) => {
    return definition.test(bundledConfigs.get(name)?.() ?? "");
  });
}
