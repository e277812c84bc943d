/**
 * Finds which similar calls (a scope) a person can allow by one answer: any path in a folder, or any free text, while
 * all other arguments are the same.
 */

import { dirname, join, resolve } from "node:path";
import { contains, ownFolder, realPathOf, statOf } from "../process/folders.ts";
import { resolvePath } from "../policy/real_path.ts";
import { sha256 } from "../text/hash.ts";
import { spellOut } from "../text/escape.ts";
import { canonicalJson } from "../text/own_property.ts";
import { annotationsOf, effectOfCall } from "../tool/annotations.ts";
import type { ApprovalScope } from "./approvals.ts";
import type { Arg } from "../tool/tool.ts";
import { runnerOf } from "./context.ts";
import type { PlannedCall } from "./pipeline.ts";
import { isPath } from "../tool/aliases.ts";

/**
 * Returns the scopes that a person may allow with `call`, the narrowest first. There is none for a call that is
 * destructive, reaches other machines or runs code of the project.
 */
export async function scopesOf(
  call: PlannedCall,
  bound: readonly unknown[],
): Promise<readonly ApprovalScope[]> {
  const { tool, values, context, plan } = call;
  const place = runnerOf(context, tool).location?.(tool, values);
  const directory = realPathOf(resolve(ownFolder(), place?.directory ?? ""));
  const isElsewhere = place === undefined || place.isElsewhere || place.startIn !== undefined;
  if (!isMild(call) || isElsewhere || directory === undefined) return [];
  const given = tool.args.filter(({ name }) => values.has(name));
  const [paths, texts] = [given.filter(isPath), given.filter(isText)];
  if (paths.length + texts.length === 0) return [];
  const wide = new Set([...paths, ...texts].map(({ name }) => name));
  const same = given.filter(({ name, role }) => !wide.has(name) && role.kind !== "cwd");
  const common = sha256(canonicalJson([
    ...bound,
    tool,
    plan.identity?.() ?? null,
    plan.preview.record["sandbox"] ?? null,
    identityOf(directory),
    [...wide].toSorted(),
    same.map(({ name }) => [name, values.get(name)]),
  ]));
  const any = [
    ...texts.length === 0 ? [] : [`any ${texts.map(({ name }) => name).join(" and ")}`],
    ...same.length === 0 ? [] : ["all else the same"],
  ].join(", ");
  const scope = (
    choice: ApprovalScope["choice"],
    where: string,
    folder?: string,
  ): ApprovalScope => ({
    choice,
    key: sha256(JSON.stringify([common, folder === undefined ? null : identityOf(folder)])),
    words: spellOut(`${tool.name} ${where}${any && `, with ${any}`}`),
  });
  if (paths.length === 0) return [scope("tool", `in ${directory}`)];
  const folders = await foldersOf(call, paths, directory);
  return folders.map((folder, at) =>
    scope(at === 0 ? "folder" : "tool", `below ${folder}`, folder)
  );
}

export function offered(scopes: readonly ApprovalScope[]): readonly ApprovalScope[] {
  return scopes.length > 2 ? [scopes[0]!, scopes.at(-1)!] : scopes;
}

function isMild({ tool, values, plan: { preview, projectState, trial } }: PlannedCall): boolean {
  return effectOfCall(tool, values) === "write" &&
    annotationsOf(tool).openWorldHint === false &&
    projectState === undefined && preview.saidBy === undefined &&
    !(typeof trial === "object" && "withheld" in trial);
}

/** Returns whether an argument is free text, such as a message: neither config nor policy restricts it. */
function isText({ type, role, text, enum: words, list, limits, constraint, fixed }: Arg): boolean {
  const isFree = role.kind === "stdin" || /^(?:multiline|json|any)$/.test(text ?? "");
  return isFree && type === "string" &&
    [words, list, limits, constraint, fixed].every((each) => each === undefined);
}

/** Identifies a folder by its number on the disk, so that an answer does not hold for another folder in its place. */
function identityOf(folder: string): readonly unknown[] {
  const { dev, ino } = statOf(folder) ?? {};
  return [folder, dev ?? null, ino ?? null];
}

async function foldersOf(
  { values }: PlannedCall,
  paths: readonly Arg[],
  directory: string,
): Promise<string[]> {
  const roots: string[] = [];
  let common: string | undefined;
  for (const { name, limits, constraint } of paths) {
    for (const within of [limits?.within, constraint?.within]) {
      const root = within === undefined ? undefined : realPathOf(resolve(directory, within));
      if (root !== undefined) roots.push(root);
      else if (within !== undefined) return [];
    }
    for (const value of [values.get(name)!].flat()) {
      const folder = await folderOf(String(value), directory);
      if (folder === undefined) return [];
      common ??= folder;
      while (!contains(common, folder)) common = dirname(common);
    }
  }
  const folders: string[] = [];
  for (let at = common; at !== undefined && roots.every((root) => contains(root, at!));) {
    folders.push(at);
    at = dirname(at) === at ? undefined : dirname(at);
  }
  return folders;
}

/**
 * Returns the folder of `path`. Returns `undefined` if the path may lead elsewhere: by a link, `..`, or a first
 * character that programs read specially (`:`, `-`, `!`, `^`).
 */
async function folderOf(path: string, directory: string): Promise<string | undefined> {
  if (/^[:!^-]|(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path)) return undefined;
  const found = await resolvePath(path, { cwd: directory });
  const written = join(resolve(directory, path));
  return found.ok && found.path === written && written !== directory ? dirname(written) : undefined;
}
