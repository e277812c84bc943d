/**
 * Decides for `confirm: outside` which calls of programs ask a person: those that leave the folder of the server, or lose what
 * nothing brings back. It goes by what a tool says of itself and by what holds its program, never by its name.
 */

import { resolve } from "node:path";
import { gitIn } from "../../exec/sandbox.ts";
import type { Sandbox } from "../../exec/sandbox_view.ts";
import { findUnsaved } from "../../exec/unsaved_files.ts";
import { contains, ownFolder, realPathOf } from "../../process/folders.ts";
import { exceeds } from "../../tool/annotations.ts";
import type { Arg, ArgValues, Effect, Tool } from "../../tool/tool.ts";

/** What holds a program: its sandbox, a container without a network, or nothing. */
export type Hold = Sandbox | "container" | undefined;

/** Returns whether calls of `tool` ask: all, none, or by their arguments (`outside`). */
export function asksOutside(tool: Tool, hold: Hold): boolean | "outside" {
  const { effect, plainEffect, loses, requires, args } = tool;
  const reaches = tool.annotations?.openWorldHint === true;
  if (effect === undefined) return true;
  if (effect === "read") {
    if (reaches && !args.some(isUrl)) return true;
    return reaches || args.some(({ leaves }) => leaves) ? "outside" : false;
  }
  if (reaches || !isBounded(hold)) return true;
  if (requires !== undefined) return false;
  if (effect === "destructive" && plainEffect === undefined && loses === undefined) return true;
  return effect === "destructive" || args.some(({ leaves }) => leaves) ? "outside" : false;
}

/** Returns whether a program cannot write beside the folder of the server, nor reach the network. */
function isBounded(hold: Hold): boolean {
  if (hold === undefined || hold === "container") return hold !== undefined;
  const own = realPathOf(ownFolder()) ?? ownFolder();
  return hold.network === "none" && hold.write.every((path) => contains(own, path));
}

/** Returns why a call asks, whose tool asks by its arguments; nothing if it need not. `cwd` is its directory. */
export async function reasonToAsk(
  tool: Tool,
  values: ArgValues,
  { cwd, hold }: { readonly cwd: string; readonly hold: Hold },
): Promise<string | undefined> {
  const given = tool.args.filter(({ name }) => (values.get(name) ?? false) !== false);
  const leaving = given.find(({ leaves }) => leaves);
  if (leaving !== undefined) return `with '${leaving.name}' it may leave this machine`;
  if (tool.annotations?.openWorldHint === true) {
    const urls = given.filter(isUrl).flatMap(({ name }) => [values.get(name)].flat());
    if (urls.length === 0 || !urls.every(isLoopback)) return "it leaves this machine";
  }
  if (worstOf(tool, given) !== "destructive") return undefined;
  if (tool.loses === undefined || typeof hold !== "object") return "it cannot be taken back";
  const paths = given.filter(({ role, limits }) => role.kind !== "cwd" && limits?.within)
    .flatMap(({ name }) => [values.get(name)].flat().map((path) => resolve(cwd, String(path))));
  return await findUnsaved(await gitIn(hold), { paths, cwd, kind: tool.loses });
}

function worstOf({ effect, plainEffect = effect, policyEffect }: Tool, given: readonly Arg[]) {
  return [policyEffect, ...given.map((arg) => arg.effect)].reduce<Effect>((worst, each) => {
    return each !== undefined && exceeds(each, worst) ? each : worst;
  }, plainEffect ?? "destructive");
}

function isUrl({ text, role }: Arg): boolean {
  return text === "url" && role.kind !== "cwd";
}

/** Returns whether `value` is a URL of this machine; each program takes these spellings alike. */
function isLoopback(value: unknown): boolean {
  return /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:[/?#]|$)/i
    .test(String(value));
}
