/**
 * Decides for `confirm: outside` in a policy which calls ask a person, such as those that reach beyond this machine or
 * lose data.
 */

import { join, resolve } from "node:path";
import { gitIn } from "../../exec/sandbox.ts";
import type { Sandbox } from "../../exec/sandbox_view.ts";
import { findUnsaved } from "../../exec/repository.ts";
import { contains, fileStamp, ownFolder, realPathOf } from "../../process/folders.ts";
import { effectOfCall, givenArgs } from "../../tool/annotations.ts";
import type { Arg, ArgValues, Tool } from "../../tool/tool.ts";
import { messageOf } from "../../errors.ts";
import { systemPath } from "../../io.ts";
import { sha256 } from "../../text/hash.ts";

export type OutsideConsent = Pick<Tool, "needsConsent" | "consentReason">;

const free: OutsideConsent = { needsConsent: false };

const leaves = "it reaches beyond this machine";

const isLost = "it cannot be taken back";

export function asksOutside(tool: Tool, sandbox: Sandbox | undefined): OutsideConsent {
  const { effect, policyEffect, plainEffect, loses, requires, args } = tool;
  if (effect === undefined) return ask("its config does not say what it does");
  if (reaches(tool)) {
    return effect !== "read" || !args.some(isUrl)
      ? ask(leaves)
      : ask("an address may be beyond this machine", "outside");
  }
  if (effect === "read") return free;
  const own = realPathOf(ownFolder()) ?? ownFolder();
  const isBounded = sandbox?.network === "none" &&
    sandbox.write.every((path) => contains(own, path));
  if (sandbox === undefined) return ask("it changes something, and no sandbox holds it");
  if (!isBounded) return ask("its sandbox is open beyond the folder");
  if (requires !== undefined || effect === "write") return free;
  return policyEffect !== undefined || (plainEffect ?? loses) === undefined
    ? ask(isLost)
    : ask("some of its calls cannot be taken back", "outside");
}

function ask(consentReason: string, needsConsent: true | "outside" = true): OutsideConsent {
  return { needsConsent, consentReason };
}

export async function reasonToAsk(
  tool: Tool,
  values: ArgValues,
  { cwd, sandbox }: { readonly cwd: string; readonly sandbox: Sandbox | undefined },
): Promise<string | undefined> {
  const given = givenArgs(tool, values);
  const valuesOf = (args: readonly Arg[]) => args.flatMap(({ name }) => [values.get(name)].flat());
  if (reaches(tool)) {
    const urls = valuesOf(given.filter(isUrl));
    // A switch may make the program follow a redirect to another machine, so a call with a switch asks a person
    const isPlain = !given.some(({ type, fixed }) => type === "boolean" && fixed === undefined);
    const stays = urls.length > 0 && urls.every(isLoopback) && isPlain;
    return stays ? undefined : leaves;
  }
  // To overwrite a text file counts as editing, which does not ask a person
  if (effectOfCall(tool, values) !== "destructive" || tool.loses === "text") return undefined;
  const names = new Set(given.map(({ name }) => name));
  const kind = typeof tool.loses === "object"
    ? Object.entries(tool.loses).findLast(([name]) => names.has(name))?.[1]
    : tool.loses;
  if (kind === undefined || sandbox === undefined) return isLost;
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

/**
 * Returns whether a URL names this machine; false for unusual spellings such as `127.1`, which programs read
 * differently.
 */
function isLoopback(value: unknown): boolean {
  return /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:[/?#]|$)/i
    .test(String(value));
}

/** At most this many bytes of a folder's files are hashed together; of a further file, size and time are. */
const maxBytes = 1024 * 1024;

/** Returns a hash of the files directly in `folder`: names and contents, but only size and time of large files. */
export async function topFiles(folder: string): Promise<string> {
  const lines: string[] = [];
  let left = maxBytes;
  try {
    const entries = await Array.fromAsync(Deno.readDir(systemPath(folder)));
    for (const { name } of entries.toSorted((a, b) => a.name < b.name ? -1 : 1)) {
      const path = join(folder, name);
      const info = await Deno.stat(systemPath(path)).catch(() => undefined);
      if (info?.isFile !== true) continue;
      const content = info.size <= left
        ? await Deno.readFile(systemPath(path)).catch(() => undefined)
        : undefined;
      left -= content?.length ?? 0;
      lines.push(`${name}\0${content === undefined ? fileStamp(info) : sha256(content)}`);
    }
  } catch (error) {
    lines.push(messageOf(error));
  }
  return sha256(lines.join("\n"));
}
