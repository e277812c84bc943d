/**
 * Finds the texts of configs: by path, or by name among the configs of the project, those of the person and the bundled
 * ones.
 */

import { normalize } from "node:path";
import { findProgram } from "../../exec/find_program.ts";
import { systemPath } from "../../io.ts";
import type { Problem } from "../../errors.ts";
import { contains, realPathOf } from "../../process/folders.ts";
import { readTextFile } from "../../files/text_file.ts";
import type { NamedText } from "../../text/named_text.ts";
import { nearHint } from "../../text/similar_names.ts";
import {
  configThing,
  isConfigName,
  isProjectConfig,
  ownConfig,
  ownConfigNames,
} from "./own_configs.ts";
import { isAccepted, mayBeForeign, trustFile } from "../../trust/accepted.ts";
import { bundledConfigs, bundledNames, configSets, configsOfSet, withoutSets } from "./bundled.ts";
import { climax } from "../../process/own_command.ts";

/** The text of a config. `file` is the path as the person wrote it, or `bundled:NAME`. */
export interface ConfigText extends NamedText {
  readonly key: string;
  /** True if a stranger may have written the config, and the person has not accepted it. */
  readonly isForeign?: boolean;
  readonly warning?: Problem;
}

export interface LocatedConfigs {
  readonly configs: readonly ConfigText[];
  readonly problems: readonly Problem[];
  readonly files: readonly string[];
  readonly pinned: readonly (string | NamedText)[];
}

export async function locateConfigs(
  specs: readonly (string | NamedText)[],
): Promise<LocatedConfigs> {
  const named = withoutSets(specs);
  const located = await Promise.all(named.map((spec) => {
    return typeof spec === "string" ? locateConfig(spec) : { key: spec.file, ...spec };
  }));
  const configs = new Map<string, ConfigText>();
  const problems: Problem[] = [];
  for (const each of located) {
    if ("text" in each) configs.set(each.key, configs.get(each.key) ?? each);
    else problems.push(each);
  }
  const files = located.flatMap(({ file }, index) => {
    // Bundled configs, and texts that the caller passes, have no file to watch for changes
    const isRead = typeof named[index] === "string" && !file?.startsWith("bundled:");
    return isRead && file !== undefined ? [file] : [];
  });
  const isHiding = [...configs.values()].some(({ warning, file }) => {
    return warning !== undefined && isProjectConfig(file);
  });
  return {
    configs: [...configs.values()],
    problems,
    files: [...new Set([...files, ...isHiding ? [trustFile() ?? []].flat() : []])],
    pinned: located.map((each, index) => pin(each, named[index]!)),
  };
}

function pin(located: ConfigText | Problem, spec: string | NamedText): string | NamedText {
  if (typeof spec !== "string" || !("text" in located)) return spec;
  return located.file.startsWith("bundled:") ? located : located.file;
}

export function isConfigPath(spec: string): boolean {
  return spec.includes("/") || /\.ya?ml$/i.test(spec) ||
    (Deno.build.os === "windows" && spec.includes("\\"));
}

export async function locateConfig(spec: string): Promise<ConfigText | Problem> {
  if (isConfigPath(spec)) return await readConfigFile(spec);
  const { files: [own, other], passedOver } = await ownConfig(spec);
  const isBundled = bundledNames.has(spec);
  if (passedOver !== undefined) {
    const config = own === undefined ? locateBundled(spec) : await readConfigFile(own);
    const hidden = own ?? "the bundled one";
    const message = `This config of the project is not used, for it would hide ${hidden}`;
    const hint = `Read it, and accept it: ${climax()} trust --project ${spec}`;
    return "text" in config ? { ...config, warning: { file: passedOver, message, hint } } : config;
  }
  if (own === undefined) return isBundled ? locateBundled(spec) : await unknownConfig(spec);
  const config = await readConfigFile(own);
  const hidden = other ?? (isBundled ? "the bundled one" : undefined);
  if (!("text" in config) || hidden === undefined) return config;
  const message = `This is the config '${spec}' here; ${hidden} is hidden by it`;
  return { ...config, warning: { file: own, message } };
}

export function locateBundled(name: string): ConfigText {
  const file = `bundled:${name}`;
  return { file, key: file, text: bundledConfigs.get(name)!() };
}

async function unknownConfig(spec: string): Promise<Problem> {
  const message = `Unknown config '${spec}'`;
  const file = await fileBeside(spec);
  if (file !== undefined) return { message, hint: `Did you mean the file beside you: ./${file}` };
  const own = await ownConfigNames();
  const names = new Set([...bundledNames, ...configSets.keys(), ...own]);
  const parts = configsOfSet(spec) ?? spec.split(/, */);
  const known = parts.length > 1
    ? `Name them one by one: ${parts.join(" ")}`
    : nearHint(spec, names) ?? `${climax()} list names them all`;
  const isProgram = isConfigName(spec) && findProgram(spec, { env: {} }) !== undefined;
  const make = isProgram ? `; to make one: ${climax()} generate ${spec}` : "";
  return { message, hint: known + make };
}

async function fileBeside(name: string): Promise<string | undefined> {
  for (const file of [`${name}.yaml`, `${name}.yml`]) {
    if (await Deno.stat(systemPath(file)).then(({ isFile }) => isFile, () => false)) return file;
  }
  return undefined;
}

async function readConfigFile(path: string): Promise<ConfigText | Problem> {
  const [real, own] = isProjectConfig(path) ? [realPathOf(path), realPathOf(".")] : [];
  // A config of the project that is a link out of it is refused here, since Deno may not read the target
  if (real !== undefined && own !== undefined && !contains(own, real)) {
    const message = "This config of the project leads to a file outside of it, which is not read";
    return { file: path, message, hint: "Copy that file, or name it by its own path" };
  }
  const read = await readTextFile(path);
  if (!read.ok) return read.problem;
  const { text } = read;
  const isForeign = mayBeForeign(path) && !await isAccepted(await configThing(path, text));
  return { file: path, key: normalize(path), text, ...(isForeign ? { isForeign } : {}) };
}
