/**
 * From what the user typed to the texts of configs: files, or by name one of the project's, one of
 * the person's or a bundled one, in this order. What is in the texts is not looked at.
 */

import { normalize } from "node:path";
import type { Problem } from "../../errors.ts";
import { readTextFile } from "../../files/text_file.ts";
import { homeVariables } from "../../process/folders.ts";
import type { NamedText } from "../../text/named_text.ts";
import { nearNames } from "../../text/similar_names.ts";
import { acceptedConfigsFile } from "./accepted_configs.ts";
import { bundledConfigs } from "./bundled.ts";
import {
  isPersonalConfig,
  isProjectConfig,
  ownConfig,
  ownConfigNames,
  usualConfigs,
} from "./own_configs.ts";
import { configSets, withoutSets } from "./sets.ts";

/** The text of a config; it is called by the path as the user wrote it, or `bundled:NAME`. */
export interface ConfigText extends NamedText {
  /** Equal for two spellings of the same config. */
  readonly key: string;
  /** What somebody who knows the name for another config has to hear. */
  readonly warning?: Problem;
}

/** Where the configs are that the user named, and which. */
export interface LocatedConfigs {
  /** In the order they were named, each once. */
  readonly configs: readonly ConfigText[];
  /** Those that were not found or could not be read. */
  readonly problems: readonly Problem[];
  /** Paths of the configs that were to be read from files. */
  readonly files: readonly string[];
  /** What was named, by the files that it was: another that comes to be found is not taken. */
  readonly pinned: readonly (string | NamedText)[];
  /** Names of the variables that said where these are. */
  readonly foundBy: readonly string[];
}

/** Finds the configs that `specs` name, by names, sets of them and paths, or hold. */
export async function locateConfigs(
  specs: readonly (string | NamedText)[],
): Promise<LocatedConfigs> {
  const named = withoutSets(specs);
  const located = await Promise.all(named.map((spec) => {
    return typeof spec === "string" ? locateConfig(spec) : { ...spec, key: spec.file };
  }));
  const configs = new Map<string, ConfigText>();
  const problems: Problem[] = [];
  for (const each of located) {
    if ("text" in each) configs.set(each.key, configs.get(each.key) ?? each);
    else problems.push(each);
  }
  const files = located.flatMap(({ file }, index) => {
    // What was at hand was not read, and a bundled one stands in no file
    const isRead = typeof named[index] === "string" && !file?.startsWith("bundled:");
    return isRead && file !== undefined ? [file] : [];
  });
  // What hides another is taken where a file of the person's says so
  const accepted = located.some(isHiding) ? acceptedConfigsFile() : undefined;
  const isPersonal = located.some(({ file = "" }) => isPersonalConfig(file));
  return {
    configs: [...configs.values()],
    problems,
    files: [...new Set([...files, ...(accepted === undefined ? [] : [accepted])])],
    pinned: located.map((each, index) => pin(each, named[index]!)),
    foundBy: isPersonal || accepted !== undefined ? homeVariables : [],
  };
}

/** Whether it is a project's that stands for another. */
function isHiding(located: ConfigText | Problem): boolean {
  return "text" in located && located.warning !== undefined && isProjectConfig(located.file);
}

/** What stands for `spec` from now on: a file by its path, what is bundled by its text. */
function pin(located: ConfigText | Problem, spec: string | NamedText): string | NamedText {
  if (typeof spec !== "string" || !("text" in located)) return spec;
  return located.file.startsWith("bundled:") ? located : located.file;
}

/** Whether `spec` means a file: it has a `/`, or ends in `.yaml` or `.yml`. */
export function isConfigPath(spec: string): boolean {
  return spec.includes("/") || /\.ya?ml$/i.test(spec) ||
    (Deno.build.os === "windows" && spec.includes("\\"));
}

/** Reads the config that `spec` names, or says why it cannot be read. */
export async function locateConfig(spec: string): Promise<ConfigText | Problem> {
  if (isConfigPath(spec)) return await readConfigFile(spec);
  const { files: [own, other], passedOver } = await ownConfig(spec);
  const text = bundledConfigs.get(spec);
  if (passedOver !== undefined) {
    const config = own === undefined ? bundled(spec, text!) : await readConfigFile(own);
    const message = `This config of the project is not used, for it would hide ${
      own ?? "the bundled one"
    }`;
    const hint = `Read it, and accept it: climax trust --project ${spec}`;
    return "text" in config ? { ...config, warning: { file: passedOver, message, hint } } : config;
  }
  if (own !== undefined) {
    const config = await readConfigFile(own);
    const hidden = other ?? (text === undefined ? undefined : "the bundled one");
    if (!("text" in config) || hidden === undefined) return config;
    const message = `This is the config '${spec}' here; ${hidden} is hidden by it`;
    return { ...config, warning: { file: own, message } };
  }
  if (text === undefined) return await unknownConfig(spec);
  return bundled(spec, text);
}

function bundled(name: string, text: string): ConfigText {
  return { file: `bundled:${name}`, key: `bundled:${name}`, text };
}

async function unknownConfig(spec: string): Promise<Problem> {
  const source = usualConfigs().includes(spec) ? ", which CLIMAX_CONFIG names" : "";
  const message = `Unknown config '${spec}'${source}`;
  const file = await fileBeside(spec);
  if (file !== undefined) return { message, hint: `Did you mean the file beside you: ./${file}` };
  const own = await ownConfigNames();
  const names = new Set([...bundledConfigs.keys(), ...configSets.keys(), ...own]);
  const near = nearNames(spec, [...names]);
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
