/** Lets git reach a repository on this machine, where the person has named it, and says how it is named. */

import { fileURLToPath } from "node:url";
import { resolve } from "node:path";
import { realPathOf } from "../process/folders.ts";
import type { Invocation } from "./invocation.ts";
import { type Known, wordsOf } from "./_git_credentials.ts";
import { RepositoryError } from "./repository.ts";
import { canBeSeen } from "./sandbox_view.ts";

/**
 * Adds the transport `file`, and in a sandbox the repository, for a remote that is a path in `safe.directory` of the
 * person's own settings.
 *
 * @throws {RepositoryError} for a remote that is another path
 */
export async function withRemotePaths(call: Invocation, known: Known): Promise<Invocation> {
  const [, command = ""] = call.argv;
  if (!/^(?:fetch|pull|push)$/.test(command)) return call;
  const { stdout } = await known.ask(["remote", "--verbose"], known.top);
  const remotes = stdout.split("\n").map((line) => /^(.*?)\t(.*) \(\w+\)$/.exec(line) ?? []);
  const places = remotes.flatMap(([, name = "", url = ""]) => {
    const path = pathOf(url, known.top);
    return path === undefined ? [] : [{ name, path }];
  });
  const remote = wordsOf(call.argv).options.slice(2).find((word) => !word.startsWith("-"));
  const used = places.filter(({ name }) => name === remote);
  if (used.length === 0) return call;
  const trusted = await trustedIn(known);
  // In a partial clone git may ask other remotes too
  const stranger = places.find(({ path }) => !trusted.has("*") && !trusted.has(path));
  if (stranger !== undefined) {
    const { name, path } = stranger;
    throw new RepositoryError(
      `remote '${name}' is a folder of this machine, '${path}', which git reaches only if a person allows it\n` +
        `Ask a person to run: git config --global --add safe.directory '${path}'`,
    );
  }
  const env = { ...call.env, GIT_ALLOW_PROTOCOL: `${call.env["GIT_ALLOW_PROTOCOL"]}:file` };
  const { sandbox } = call;
  if (sandbox === undefined) return { ...call, env };
  const paths = used.map(({ path }) => path);
  const key = command === "push" && sandbox.unsetKeys?.includes("write") ? "write" : "read";
  const opened = { ...sandbox, [key]: [...sandbox[key], ...paths] };
  const hidden = paths.find((path) => !canBeSeen(opened, path));
  if (hidden === undefined) return { ...call, env, sandbox: opened };
  throw new RepositoryError(
    `'${hidden}' is hidden in the sandbox\nAsk a person to look at 'hide' of the sandbox, in the policy`,
  );
}

/** The folder that git takes `url` for, links resolved; nothing for an address. */
function pathOf(url: string, top: string): string | undefined {
  const isDrive = Deno.build.os === "windows" && /^[a-z]:/i.test(url);
  const isFile = /^file:/i.test(url);
  if (!isFile && !isDrive && /^[^/]*:/.test(url)) return undefined;
  const path = isFile ? fileURLToPath(url) : resolve(top, url);
  return realPathOf(path) ?? path;
}

/** The folders that the person's settings name, or `*`. */
async function trustedIn({ ask, top }: Known): Promise<ReadonlySet<string>> {
  const words = ["config", "--show-scope", "-z", "--get-all", "safe.directory"];
  const parts = (await ask(words, top)).stdout.split("\0");
  const own = parts.filter((_, at) => /^(?:system|global)$/.test(parts[at - 1] ?? ""));
  const named = own.slice(own.lastIndexOf("") + 1);
  return new Set(named.map((path) => realPathOf(path) ?? path));
}
