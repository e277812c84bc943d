/** Lets git reach a repository on this machine, where the person has named it, and says how it is named. */

import { fileURLToPath } from "node:url";
import { resolve } from "node:path";
import { realPathOf } from "../process/folders.ts";
import type { Invocation } from "./invocation.ts";
import { type Known, wordsOf } from "./_git_credentials.ts";
import { RepositoryError } from "./repository.ts";

/**
 * Adds the transport `file`, and in a sandbox the repository, for a remote that is a path in `safe.directory` of the
 * person's own settings, or that the person has just agreed to.
 *
 * @throws {RepositoryError} for a remote that is another path
 */
export async function withRemotePaths(call: Invocation, known: Known): Promise<Invocation> {
  const { argv, env, sandbox } = call;
  const [program, command = "", ...words] = argv;
  if (!/^(?:fetch|pull|push)$/.test(command)) return call;
  const remote = wordsOf(argv).options.slice(2).find((word) => !word.startsWith("-"));
  const { stdout } = await known.ask(["remote", "--verbose"], known.top);
  const places = stdout.matchAll(/(?<![^\n])([^\t\n]*)\t([^\n]*) \((?:fetch|push)\)/g).flatMap(
    ([, name, url]) => {
      const path = folderOf(url!, known.top);
      return path === undefined ? [] : [{ name, path }];
    },
  ).toArray();
  const paths = places.filter(({ name }) => name === remote).map(({ path }) => path);
  if (paths.length === 0) return call;
  // In a partial clone git may ask other remotes too
  const trusted = call.isAgreed ? undefined : await trustedIn(known);
  const stranger = trusted && places.find(({ path }) => !trusted.has(path));
  if (stranger !== undefined) {
    const { name, path } = stranger;
    throw new RepositoryError(
      `remote '${name}' is a folder of this machine, '${path}', which git reaches only if a person allows it\n` +
        `Ask a person to run: git config --global --add safe.directory '${path}'`,
    );
  }
  // What serves the other end runs here: no program that one of both repositories names, and no hook
  const end = command === "push" ? "receive-pack" : "upload-pack";
  const own = ["core.hooksPath=/dev/null", "core.fsmonitor=false", "core.alternateRefsCommand=:"];
  const more = ["receive.denyCurrentBranch=refuse", "receive.autogc=false"];
  const served = `--${end}=git ${[...own, ...more].map((each) => `-c ${each}`).join(" ")} ${end}`;
  const opened = {
    ...call,
    argv: [program, command, served, ...words],
    env: { ...env, GIT_ALLOW_PROTOCOL: `${env["GIT_ALLOW_PROTOCOL"]}:file` },
  } as const;
  if (sandbox === undefined) return opened;
  const key = command === "push" && sandbox.unsetKeys?.includes("write") ? "write" : "read";
  return { ...opened, sandbox: { ...sandbox, [key]: [...sandbox[key], ...paths] } };
}

/** The folder that git takes `url` for, links resolved; nothing for an address. */
function folderOf(url: string, top: string): string | undefined {
  const isFile = /^file:/i.test(url);
  if (!isFile && /^[^/]*:/.test(url)) return undefined;
  const path = isFile ? fileURLToPath(url) : resolve(top, url);
  return realPathOf(path) ?? path;
}

/** The folders that the person's settings name: `*` says nothing of what an agent may reach. */
async function trustedIn({ ask, top }: Known): Promise<ReadonlySet<string>> {
  const words = ["config", "--show-scope", "-z", "--get-all", "safe.directory"];
  const parts = (await ask(words, top)).stdout.split("\0");
  const own = parts.filter((_, at) => /^(?:system|global)$/.test(parts[at - 1] ?? ""));
  const named = own.slice(own.lastIndexOf("") + 1);
  return new Set(named.map((path) => realPathOf(path) ?? path));
}
