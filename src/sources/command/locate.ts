/** From what the user typed to the text of a config: a bundled one by name, or a file. */

import { normalize } from "node:path";
import { type Problem } from "../../errors.ts";
import { readTextFile } from "../../document/text_file.ts";
import { nearNames } from "../../text/near_names.ts";
import { bundledConfigs } from "./bundled.ts";
import { configSets } from "./sets.ts";

/** The text of a config and what to call it in messages. */
export interface ConfigText {
  /** The path as the user wrote it, or `bundled:NAME`. */
  readonly file: string;
  /** Equal for two spellings of the same config. */
  readonly key: string;
  readonly text: string;
}

/** Whether `spec` means a file: it has a `/`, or ends in `.yaml` or `.yml`. */
export function isConfigPath(spec: string): boolean {
  return spec.includes("/") || /\.ya?ml$/i.test(spec) ||
    (Deno.build.os === "windows" && spec.includes("\\"));
}

/** Reads the config that `spec` names, or says why it cannot be read. */
export async function locateConfig(spec: string): Promise<ConfigText | Problem> {
  if (isConfigPath(spec)) return await readConfigFile(spec);
  const text = bundledConfigs.get(spec);
  if (text === undefined) return unknownConfig(spec);
  return { file: `bundled:${spec}`, key: `bundled:${spec}`, text };
}

function unknownConfig(spec: string): Problem {
  const names = [...bundledConfigs.keys()];
  const near = nearNames(spec, [...names, ...configSets.keys()]);
  const suggestion = near.length > 0
    ? `Did you mean: ${near.join(", ")}`
    : `Bundled configs: ${names.join(", ")}`;
  return {
    message: `Unknown config '${spec}'`,
    hint: `${suggestion}; a file is named with a '/' or ends in .yaml`,
  };
}

async function readConfigFile(path: string): Promise<ConfigText | Problem> {
  const read = await readTextFile(path);
  return read.ok ? { file: path, key: normalize(path), text: read.text } : read.problem;
}
