/** Reads the configs and lock files of upstream servers, and reports problems in them and in the servers' tools. */

import { isDeepStrictEqual } from "node:util";
import type { NamedText } from "../../text/named_text.ts";
import type { Problem } from "../../errors.ts";
import { type ServerSpec, upstreamSourceOf } from "./spec.ts";
import { plural } from "../../text/plural.ts";
import { warnFewTools } from "../project_settings.ts";
import { nearHint } from "../../text/similar_names.ts";
import { shellWord } from "../../text/shell_word.ts";
import { findHiddenInstructions } from "./review.ts";
import { readUpstreamConfig, type UpstreamConfig } from "./config.ts";
import {
  explainMoved,
  type LockedServer,
  type LockFile,
  readServersLock,
  trustCommand,
} from "./lock.ts";
import { type ServerState, withheldOf } from "./_pool_members.ts";
import { ownProperty } from "../../text/own_property.ts";
import type { Definition } from "./definition.ts";
import { commandKind, type Tool, withheld, type WithheldTool } from "../../tool/tool.ts";
import { toolsOf } from "./tools.ts";
import { climax } from "../../process/own_command.ts";

export interface LoadedUpstream {
  readonly configs: readonly UpstreamConfig[];
  readonly problems: readonly Problem[];
  readonly unreadable: boolean;
  readonly warnings: readonly Problem[];
}

interface ReadServers extends LoadedUpstream {
  readonly locks: ReadonlyMap<string, LockFile | undefined>;
  readonly members: readonly LockedServer[];
}

export async function readServers(
  files: readonly (string | NamedText)[],
  sandbox: boolean,
): Promise<ReadServers> {
  const configs: UpstreamConfig[] = [];
  const locks = new Map<string, LockFile | undefined>();
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  let unreadable = false;
  for (const file of new Set(files)) {
    const read = await readUpstreamConfig(file);
    if (!read.ok) {
      problems.push(...read.problems);
      unreadable ||= read.unreadable;
      continue;
    }
    const { config } = read;
    warnings.push(...read.warnings);
    const lock = await readServersLock(config.file);
    if (!lock.ok) {
      problems.push(...lock.problems);
      unreadable ||= lock.unreadable;
      continue;
    }
    locks.set(config.file, lock.lock);
    problems.push(...duplicates(config, configs), ...otherEmbeddings(config, configs));
    configs.push(config);
  }
  const members = problems.length > 0 ? [] : configs.flatMap(({ file, servers }) => {
    return servers.map((spec) => {
      return { spec: sandbox ? sandboxServer(spec) : spec, lock: locks.get(file) };
    });
  });
  return { configs, locks, members, problems, unreadable, warnings };
}

export function toLoaded(
  read: ReadServers,
  states: readonly ServerState[],
  more: readonly Problem[] = [],
): LoadedUpstream {
  const unlocked = new Set(states.filter(({ lock }) => !lock).map(({ spec }) => spec.file));
  const warnings = [
    ...read.warnings,
    ...read.configs.filter(({ file }) => unlocked.has(file)).map(warnUnlocked),
    ...states.flatMap(warningsOf),
    ...read.configs.flatMap((config) => fewTools(config, states)),
    ...more,
  ];
  return { ...read, warnings };
}

export function sandboxServer(spec: ServerSpec): ServerSpec {
  const { transport } = spec;
  if (transport.kind !== "stdio") return spec;
  return { ...spec, transport: { sandbox: {}, ...transport }, written: transport };
}

function duplicates(
  { file, servers }: UpstreamConfig,
  before: readonly UpstreamConfig[],
): Problem[] {
  return servers.flatMap(({ name }) => {
    const other = before.find((config) => config.servers.some((server) => server.name === name));
    return other
      ? [{ file, message: `Server '${name}' is defined in '${other.file}' already` }]
      : [];
  });
}

/** Warns of servers that have the name of a served config: a rule of a policy would hold for both. */
export function namesakesOf(states: readonly ServerState[], taken: readonly Tool[]): Problem[] {
  const programs = taken.filter(({ source }) => source.kind === commandKind);
  const names = new Set(programs.map(({ owner }) => owner.name.toLowerCase()));
  return states.filter(({ spec }) => names.has(spec.name.toLowerCase())).map(({ spec }) => ({
    file: spec.file,
    message:
      `Server '${spec.name}' has the name of a config that is served: the policy cannot tell them apart`,
    hint: "Give the server another name, or serve it without that config",
  }));
}

/** Reports that two files name different servers for embeddings: vectors of two models cannot be compared. */
function otherEmbeddings({ file, embeddings }: UpstreamConfig, before: readonly UpstreamConfig[]) {
  if (embeddings === undefined) return [];
  const other = before.find((config) => {
    return config.embeddings !== undefined && !isDeepStrictEqual(config.embeddings, embeddings);
  });
  return other ? [{ file, message: `'embeddings' is another server than in '${other.file}'` }] : [];
}

function warnUnlocked({ file }: UpstreamConfig): Problem {
  return {
    file,
    message: "You have not reviewed these servers' tools; all of them are available to the agent",
    hint: `Review and accept them: ${climax()} trust --all --mcp ${shellWord(file)}`,
  };
}

function warningsOf(state: ServerState): Problem[] {
  const { spec, listing, comparison, failure, warnings, isMoved } = state;
  const { name, file } = spec;
  const hint = `Look and accept: ${trustCommand(spec)}`;
  if (isMoved) return [{ file, message: explainMoved(name), hint }];
  if (listing === undefined) {
    const waiting = `Server '${name}' has not answered yet; its tools join when it does`;
    return [{ file, message: failure ?? waiting }];
  }
  const withheld = "its prompts and resources are not served until it is accepted";
  const isWithheld = comparison?.isTrusted === false && hasFeatures(listing);
  const about = (text: string): Problem => ({ file, message: `Server '${name}': ${text}` });
  return [
    ...(failure === undefined
      ? []
      : [{ file, message: `${failure}\n  (its tools are those it had before)` }]),
    ...unknownSelects(spec, listing.definitions),
    ...warnings.map(about),
    ...(isWithheld ? [{ ...about(withheld), hint }] : []),
    ...withheldOf(state),
    ...findHiddenInstructions(listing).map(about),
  ];
}

function hasFeatures(listing: ServerState["listing"]): boolean {
  const { prompts = [], resources = [], templates = [] } = listing?.features ?? {};
  return prompts.length + resources.length + templates.length > 0;
}

function unknownSelects(
  { name, file, selects = {} }: ServerSpec,
  tools: readonly { name: string }[],
) {
  const known = tools.map((tool) => tool.name);
  return Object.keys(selects).filter((tool) => !known.includes(tool)).map((tool): Problem => {
    const hint = nearHint(tool, known);
    const message = `Server '${name}': 'select' names a tool that it does not have: '${tool}'`;
    return { file, message, ...(hint && { hint }) };
  });
}

function fewTools(config: UpstreamConfig, all: readonly ServerState[]): Problem[] {
  const states = all.filter(({ spec }) => spec.file === config.file);
  if (states.some(({ listing }) => listing === undefined)) return [];
  const count = states.reduce((sum, { listing }) => sum + listing!.definitions.length, 0);
  return warnFewTools(config, count);
}

export function withheldTools(states: readonly ServerState[]): WithheldTool[] {
  return states.flatMap(({ spec, listing, comparison, lock }) => {
    const { changed = [], fresh = [] } = comparison ?? {};
    if (listing === undefined || changed.length + fresh.length === 0) return [];
    const accepted = ownProperty(lock?.servers, spec.name)?.tools;
    const isChanged = new Set(changed);
    const names = new Set([...changed, ...fresh]);
    const definitions = listing.definitions.filter(({ name }) => names.has(name))
      .map(({ name, annotations }) => {
        const before = ownProperty(accepted, name)?.definition as Partial<Definition> | undefined;
        const known = before === undefined ? annotations : before.annotations;
        return { name, annotations: known, inputSchema: { type: "object" as const } };
      });
    const unnamed = `${
      plural(fresh.length, "tool")
    } of the server '${spec.name}' never accepted, not served`;
    return toolsOf([{ spec, description: "", definitions }], new Set()).map((tool) => {
      return isChanged.has(upstreamSourceOf(tool).tool)
        ? withheld(tool, "its definition has changed since it was accepted", trustCommand(spec))
        : withheld(tool, "it is new, and was never accepted", trustCommand(spec), unnamed);
    });
  });
}
