/**
 * Decides for `confirm: outside` which calls of programs ask a person: those that leave the folder of the server, or lose what
 * nothing brings back. It goes by what a tool says of itself and by what holds its program, never by its name.
 */

import { resolve } from "node:path";
import { gitIn } from "../../exec/sandbox.ts";
import type { Sandbox } from "../../exec/sandbox_view.ts";
import { findUnsaved } from "../../exec/unsaved_files.ts";
import { contains, ownFolder, realPathOf } from "../../process/folders.ts";
import { effectOfCall, givenArgs } from "../../tool/annotations.ts";
import type { Arg, ArgValues, Tool } from "../../tool/tool.ts";

/** Returns whether calls of `tool` ask: all, none, or by their arguments (`outside`). `sandbox` is what holds its program. */
export function asksOutside(tool: Tool, sandbox: Sandbox | undefined): boolean | "outside" {
  const { effect, policyEffect, plainEffect, loses, requires, args } = tool;
  if (effect === undefined) return true;
  if (reaches(tool)) return effect !== "read" || !args.some(isUrl) || "outside";
  if (effect === "read") return false;
  const own = realPathOf(ownFolder()) ?? ownFolder();
  const isBounded = sandbox?.network === "none" &&
    sandbox.write.every((path) => contains(own, path));
  if (!isBounded) return true;
  if (requires !== undefined || effect === "write") return false;
  return policyEffect !== undefined || (plainEffect ?? loses) === undefined || "outside";
}

/** Returns why a call asks, whose tool asks by its arguments; nothing if it need not. `cwd` is its directory. */
export async function reasonToAsk(
  tool: Tool,
  values: ArgValues,
  { cwd, sandbox }: { readonly cwd: string; readonly sandbox: Sandbox | undefined },
): Promise<string | undefined> {
  const given = givenArgs(tool, values);
  const valuesOf = (args: readonly Arg[]) => args.flatMap(({ name }) => [values.get(name)].flat());
  if (reaches(tool)) {
    const urls = valuesOf(given.filter(isUrl));
    // A switch may follow an answer elsewhere
    const isPlain = !given.some(({ type, fixed }) => type === "boolean" && fixed === undefined);
    const stays = urls.length > 0 && urls.every(isLoopback) && isPlain;
    return stays ? undefined : "it leaves this machine";
  }
  // To write over a text is to edit it
  if (effectOfCall(tool, values) !== "destructive" || tool.loses === "text") return undefined;
  const names = new Set(given.map(({ name }) => name));
  const kind = typeof tool.loses === "object"
    ? Object.entries(tool.loses).findLast(([name]) => names.has(name))?.[1]
    : tool.loses;
  if (kind === undefined || sandbox === undefined) return "it cannot be taken back";
  const named = given.filter(({ role, limits }) => role.kind !== "cwd" && limits?.within);
  const paths = valuesOf(named).map((path) => resolve(cwd, String(path)));
  return await findUnsaved(await gitIn(sandbox), { paths, cwd, kind });
}

function reaches({ annotations }: Tool): boolean {
  return annotations?.openWorldHint === true;
}

function isUrl({ text }: Arg): boolean {
  return text === "url";
}

/** Returns whether `value` is a URL of this machine; each program takes these spellings alike. */
function isLoopback(value: unknown): boolean {
  return /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:[/?#]|$)/i
    .test(String(value));
}
