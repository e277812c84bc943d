/**
 * From what the user typed to the text of a config: a file, or by its name one of the project's, one of
 * the person's or a bundled one, in this order.
 */

import { normalize } from "node:path";
import { type Problem } from "../../errors.ts";
import { readTextFile } from "../../document/text_file.ts";
import { nearNames } from "../../text/near_names.ts";
import { bundledConfigs } from "./bundled.ts";
import { ownConfig, ownConfigNames } from "./own_configs.ts";
import { configSets } from "./sets.ts";

/** The text of a config and what to call it in messages. */
export interface ConfigText {
  /** The path as the user wrote it, or `bundled:NAME`. */
  readonly file: string;
  /** Equal for two spellings of the same config. */
  readonly key: string;
  readonly text: string;
  /** What somebody who knows the name for another config has to hear. */
  readonly warning?: Problem;
}

/** Whether `spec` means a file: it has a `/`, or ends in `.yaml` or `.yml`. */
export function isConfigPath(spec: string): boolean {
  return spec.includes("/") || /\.ya?ml$/i.test(spec) ||
    (Deno.build.os === "windows" && spec.includes("\\"));
}

/** Reads the config that `spec` names, or says why it cannot be read. */
export async function locateConfig(spec: string): Promise<ConfigText | Problem> {
  if (isConfigPath(spec)) return await readConfigFile(spec);
  const [own, other] = ownConfig(spec);
  const text = bundledConfigs.get(spec);
  if (own !== undefined) {
    const config = await readConfigFile(own);
    const hidden = other ?? (text === undefined ? undefined : "the bundled one");
    if (!("text" in config) || hidden === undefined) return config;
    const message = `This is the config '${spec}' here; ${hidden} is hidden by it`;
    return { ...config, warning: { file: own, message } };
  }
  if (text === undefined) return await unknownConfig(spec);
  return { file: `bundled:${spec}`, key: `bundled:${spec}`, text };
}

async function unknownConfig(spec: string): Promise<Problem> {
  const message = `Unknown config '${spec}'`;
  const file = await fileBeside(spec);
  if (file !== undefined) return { message, hint: `Did you mean the file beside you: ./${file}` };
  const own = await ownConfigNames();
  const near = nearNames(spec, [...bundledConfigs.keys(), ...configSets.keys(), ...own]);
  const known = [
    `Bundled configs: ${[...bundledConfigs.keys()].join(", ")}`,
    ...(own.length === 0 ? [] : [`your own: ${own.join(", ")}`]),
  ];
  const suggestion = near.length > 0 ? `Did you mean: ${near.join(", ")}` : known.join("; ");
  return { message, hint: `${suggestion}; a file is named with a '/' or ends in .yaml` };
}

/** The file of the current folder that is called as a config's `name` is, if there is one. */
export async function fileBeside(name: string): Promise<string | undefined> {
  for (const file of [`${name}.yaml`, `${name}.yml`]) {
    if (await Deno.stat(file).then(({ isFile }) => isFile, () => false)) return file;
  }
  return undefined;
}

async function readConfigFile(path: string): Promise<ConfigText | Problem> {
  const read = await readTextFile(path);
  return read.ok ? { file: path, key: normalize(path), text: read.text } : read.problem;
}
