/** Decides whether git may reach a remote that is a repository on this machine. */

import { fileURLToPath } from "node:url";
import { dirname, resolve } from "node:path";
import { contains, realPathOf } from "../process/folders.ts";
import type { Invocation } from "./invocation.ts";
import { type Known, wordsOf } from "./_git_credentials.ts";
import { RepositoryError } from "./repository.ts";

const maxFolders = 20;

const startsMore =
  /^(?:extensions\.partialclone|remotes\..*|remote\..*\.(?:promisor|partialclonefilter))$/is;

/**
 * Lets git reach a remote that is a path, if the person's own `safe.directory` has the path, or the person has just
 * agreed. git gets the checked repository, even if the path leads elsewhere by then. @throws {RepositoryError}
 */
export async function withRemotePaths(call: Invocation, known: Known): Promise<Invocation> {
  const { argv, env, sandbox, agreesTo } = call;
  const [program, command = "", ...words] = argv;
  const remote = wordsOf(argv).options.slice(2).find((word) => !word.startsWith("-"));
  const way = command === "push" ? "push" : "fetch";
  const { places, addresses } = await placesOf(known);
  const isMeant = (each: { name: string; way: string }) => each.name === remote && each.way === way;
  const place = places.find(isMeant);
  if (place === undefined) return call;
  const settings = await known.ask(["config", "--list", "--name-only", "-z"], known.top);
  const more = settings.ok ? settings.stdout.split("\0").find((name) => startsMore.test(name)) : "";
  const isAlone = addresses.filter(isMeant).length === 1;
  if (more !== undefined || !isAlone) {
    throw new RepositoryError(
      `remote '${remote}' is a folder of this machine, which git reaches alone, and ` +
        (isAlone ? `the setting '${more}' makes it reach others` : "it has other addresses too") +
        "\nAsk a person to do it, or to remove them",
    );
  }
  const isAgreed = agreesTo?.(`[${noteOf(places)}]`);
  const trusted = isAgreed ? undefined : await trustedIn(known);
  const stranger = trusted && places.find(({ path, repository }) => {
    return !trusted.has(path) || !contains(path, repository) && !trusted.has(repository);
  });
  if (stranger !== undefined) {
    const { name, path } = stranger;
    throw new RepositoryError(
      `remote '${name}' is a folder of this machine, '${path}', which git reaches only if a person allows it\n` +
        `Ask a person to run: git config --global --add safe.directory '${path}'`,
    );
  }
  // git also runs in the folder of the remote, where it must start no hook or program, nor reach another repository
  const end = way === "push" ? "receive-pack" : "upload-pack";
  const settled = [
    ...["core.hooksPath=/dev/null", "core.fsmonitor=false", "core.alternateRefsCommand=true"],
    ...["receive.denyCurrentBranch=refuse", "receive.autogc=false"],
  ].map((each) => `-c ${each}`).join(" ");
  const path = `'${place.repository.replaceAll("'", "'\\''")}'`;
  const served = `serve() { GIT_ALLOW_PROTOCOL=none git ${settled} ${end} ${path}; }; serve`;
  const opened = {
    ...call,
    argv: [program, command, `--${end}=${served}`, "--no-recurse-submodules", ...words],
    env: { ...env, GIT_ALLOW_PROTOCOL: `${env["GIT_ALLOW_PROTOCOL"]}:file` },
  } as const;
  if (sandbox === undefined) return opened;
  const key = way === "push" && sandbox.unsetKeys?.includes("write") ? "write" : "read";
  const paths = [place.path, place.repository];
  return { ...opened, sandbox: { ...sandbox, [key]: [...sandbox[key], ...paths] } };
}

export async function noteOfRemotes(known: Known): Promise<string | undefined> {
  const { places } = await placesOf(known);
  return places.length === 0 ? undefined : noteOf(places);
}

function noteOf(places: readonly { readonly url: string; readonly repository: string }[]): string {
  const words = places.map(({ url, repository }) => `${url} is ${JSON.stringify(repository)}`);
  return `on this machine: ${[...new Set(words)].join(", ")}`;
}

async function placesOf({ ask, top }: Known) {
  const { stdout } = await ask(["remote", "--verbose"], top);
  const lines = stdout.matchAll(/(?<![^\n])([^\t\n]*)\t([^\n]*) \((fetch|push)\)/g);
  const addresses = lines.map(([, name = "", url = "", way = ""]) => {
    return { name, way, url, path: folderOf(url, top) };
  }).toArray();
  const folders = addresses.flatMap(({ path, ...each }) => path ? [{ ...each, path }] : []);
  const places = folders.slice(0, maxFolders).map(async ({ path, ...each }) => {
    const env = { GIT_CEILING_DIRECTORIES: dirname(path) };
    const found = await ask(["rev-parse", "--git-common-dir"], path, { env });
    const repository = found.ok && realPathOf(resolve(path, found.stdout)) || path;
    return { ...each, path, repository };
  });
  return { places: await Promise.all(places), addresses };
}

function folderOf(url: string, top: string): string | undefined {
  const isFile = /^file:/i.test(url);
  if (!isFile && /^[^/]*:/.test(url)) return undefined;
  const path = isFile ? fileURLToPath(url) : resolve(top, url);
  return realPathOf(path) ?? realPathOf(`${path}.git`) ?? path;
}

/** Returns the folders in the person's `safe.directory`. `*` is no folder: it does not say what an agent may reach. */
async function trustedIn({ ask, top }: Known): Promise<ReadonlySet<string>> {
  const words = ["config", "--show-scope", "-z", "--get-all", "safe.directory"];
  const parts = (await ask(words, top)).stdout.split("\0");
  const own = parts.filter((_, at) => /^(?:system|global)$/.test(parts[at - 1] ?? ""));
  const named = own.slice(own.lastIndexOf("") + 1);
  return new Set(named.map((path) => realPathOf(path) ?? path));
}
