/** Finds the configs that may have the tool of a `climax call`. */

import { requireVariable } from "../process/environment.ts";
import { loadConfigs } from "../sources/command/load.ts";
import { locateConfig } from "../sources/command/locate.ts";
import {
  findUnnamedOwnConfigs,
  ownConfigNames,
  usualConfigs,
} from "../sources/command/own_configs.ts";
import { configOfBundled, withoutSets } from "../sources/command/bundled.ts";
import { shellWord } from "../text/shell_word.ts";
import { type ChosenConfigs, orAll } from "./config_words.ts";
import { climax } from "../process/own_command.ts";

/**
 * Returns the names of tools that a call may mean, the longest first, each with the number of words after `tool` that
 * belong to the name: `git log` may mean `git_log` (one word) or `git` (none).
 */
export function possibleNames(tool: string, given: readonly string[]) {
  const end = given.findIndex((word) => !/^[A-Za-z][\w-]*$/.test(word));
  const words = [tool, ...given.slice(0, end === -1 ? given.length : end)].slice(0, 6);
  const joined = words.map((_, taken) => {
    return { name: words.slice(0, taken + 1).join("_").replaceAll("-", "_"), taken };
  });
  return [...joined.toReversed(), { name: tool, taken: 0 }];
}

export async function configsWith(names: readonly string[]): Promise<ChosenConfigs> {
  if (usualConfigs().length > 0) return await orAll();
  const { loaded } = await findUnnamedOwnConfigs();
  const own = await findMentions(names, loaded);
  const bundled = new Set([...new Set(names)].flatMap((name) => configOfBundled(name) ?? []));
  const configs = [...bundled.difference(new Set(loaded)), ...own];
  if (configs.length === 0) return await orAll();
  return { configs, skipsBroken: true };
}

async function findMentions(names: readonly string[], configs: readonly string[]) {
  const texts = await Promise.all(
    configs.map(async (name) => ({ name, ...await locateConfig(name) })),
  );
  return texts.flatMap((each) => {
    const isFound = "text" in each &&
      (each.text.includes("\\") || names.some((name) => each.text.includes(name)));
    return isFound ? [each.name] : [];
  });
}

/** Returns a sentence that names a config that has `tool` and is not loaded; `undefined` without such a config. */
export async function configNotLoaded(
  tool: string,
  configs: ChosenConfigs["configs"],
): Promise<string | undefined> {
  const loaded = configs.map((each) => {
    return typeof each === "string" ? each : each.file.replace(/^bundled:/, "");
  });
  const { loaded: accepted } = await findUnnamedOwnConfigs();
  const call = (config: string) => `${climax()} call ${config} -- ${shellWord(tool)}`;
  const others = (await ownConfigNames()).filter((name) => !loaded.includes(name));
  for (const config of await findMentions([tool], others)) {
    const { tools } = await loadConfigs([config], requireVariable);
    if (!tools.some(({ name, aliases = [] }) => [name, ...aliases].includes(tool))) continue;
    return !accepted.includes(config)
      ? `'${tool}' is in '${config}', a config of this folder that you have not accepted: ` +
        `${call(config)}, or ${climax()} trust --project ${config}`
      : `'${tool}' is in your config '${config}': ${call(config)}`;
  }
  const bundled = configOfBundled(tool);
  if (bundled === undefined || withoutSets(loaded).includes(bundled)) return undefined;
  return `'${tool}' is in the bundled config '${bundled}': ${call(bundled)}`;
}
