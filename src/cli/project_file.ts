/** Finds files that a command line does not name: the project's, of MCP servers, of examples. */

import { systemPath } from "../io.ts";
import { log, note } from "../log.ts";
import { FileError, UsageError } from "../errors.ts";
import type { ServerSpec } from "../sources/upstream/spec.ts";
import {
  acceptScript,
  fileOfAcceptedScripts,
  readAcceptedScripts,
} from "../files/accepted_scripts.ts";
import { canonicalJson } from "../text/canonical_json.ts";
import { sha256 } from "../text/hash.ts";
import type { NamedText } from "../text/named_text.ts";
import { readTextFile, requireText } from "../files/text_file.ts";
import { plural } from "../text/plural.ts";
import { nearHint } from "../text/similar_names.ts";
import { asTyped } from "./messages.ts";

/** The name of a new file. */
const projectFileName = "climax.json";

/** The documented name, which is preferred where such a file exists. */
const documentedFileName = "tamamo-x.config.json";

/** The path of the project's file, even if there is none yet. */
export async function defaultProjectFile(): Promise<string> {
  const [isDocumented, isShort] = await Promise.all(
    [documentedFileName, projectFileName].map(isThere),
  );
  if (isDocumented && isShort) {
    log(
      "warning",
      `${documentedFileName} is read, and ${projectFileName} beside it is not: keep one`,
    );
  }
  return isDocumented ? documentedFileName : projectFileName;
}

async function isThere(name: string): Promise<boolean> {
  return await Deno.stat(systemPath(name)).then(({ isFile }) => isFile, () => false);
}

/** The file of other clients. */
const clientFile = ".mcp.json";

/** The path of the project's file, or of that of clients beside it. @throws {ClimaxError} when there is none */
export async function serversFile(): Promise<string> {
  for (const name of [await defaultProjectFile(), clientFile]) {
    if (await isThere(name)) return name;
  }
  const names = [projectFileName, documentedFileName, clientFile].join(", ");
  throw new FileError("There is no config of MCP servers here", {
    message: `None of these files is in the current folder: ${names}`,
    hint: "Write one with climax init or climax add, or name one: --mcp FILE",
  });
}

/**
 * The project's file for a command line that names no tools. Only the person who accepted it, its lock
 * included, starts what it names: both may come with a project of somebody else.
 */
export async function useProjectFile(): Promise<readonly string[] | undefined> {
  const file = await defaultProjectFile();
  if (!await isThere(file)) return undefined;
  const { readUpstreamConfig } = await import("../sources/upstream/config.ts");
  const text = await requireText(file, "Nothing was loaded");
  const read = await readUpstreamConfig({ file, text });
  if (!read.ok) {
    note(asTyped(`${file} is not used: climax validate --mcp ${file} says why`));
    return undefined;
  }
  const { servers, embeddings, skills } = read.config;
  if (servers.length === 0 && (embeddings ?? skills) === undefined) return undefined;
  const words = plural(servers.length, "MCP server");
  const accepted = (await readAcceptedScripts()).get(await Deno.realPath(systemPath(file)));
  const isAccepted = accepted !== undefined && accepted === await hashOf({ file, text });
  note(asTyped(
    isAccepted
      ? `Also ${file}: ${words}`
      : `${file} is not used: ${words} to look at with climax trust --all`,
  ));
  return isAccepted ? [file] : undefined;
}

/** Records that the person has accepted all servers of the project's file, and its configs. */
export async function acceptProject(source: NamedText, configs: readonly string[]): Promise<void> {
  const list = fileOfAcceptedScripts();
  if (list === undefined) return;
  await acceptScript(source.file, await hashOf(source), list);
  await acceptScript(source.file, sha256(canonicalJson(configs)), list, "#");
}

/** True if the person has accepted these configs of the project's file, and false if others; absent: never any. */
export async function acceptsConfigs(file: string, configs: readonly string[]) {
  const accepted = (await readAcceptedScripts()).get(`${await Deno.realPath(systemPath(file))}#`);
  return accepted === undefined ? undefined : accepted === sha256(canonicalJson(configs));
}

/** The hash of the file and its lock. */
async function hashOf({ file, text }: NamedText): Promise<string> {
  const { readServersLock } = await import("../sources/upstream/lock.ts");
  return sha256(canonicalJson([text, await readServersLock(file)]));
}

/** @throws {UsageError} when one of `names` is not one of `known` */
export function refuseUnknownServers(names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const hint = nearHint(unknown, known) ??
    (known.length === 0 ? "climax add puts one there" : `Servers: ${known.join(", ")}`);
  throw new UsageError(`Unknown server \'${unknown}\'`, hint);
}

/** The server `name` of `files`, or of the file of the current folder. @throws {ClimaxError} */
export async function findServer(
  name: string,
  files: readonly string[] | undefined,
): Promise<ServerSpec> {
  const { readUpstreamConfig } = await import("../sources/upstream/config.ts");
  const servers: ServerSpec[] = [];
  for (const file of files ?? [await serversFile()]) {
    const read = await readUpstreamConfig(file);
    if (!read.ok) throw new FileError("No server was asked", ...read.problems);
    servers.push(...read.config.servers);
  }
  refuseUnknownServers([name], servers.map((server) => server.name));
  return servers.find((server) => server.name === name)!;
}

/** The file of `climax enrich` in the current directory. */
export const examplesFile = "climax.examples.yaml";

/** The path of the file in the current directory; `undefined` when it is missing, may not be read or is not accepted. */
export async function examplesHere(): Promise<string | undefined> {
  if (!await isThere(examplesFile)) return undefined;
  const read = await readTextFile(examplesFile);
  const path = await Deno.realPath(systemPath(examplesFile));
  if (read.ok && (await readAcceptedScripts()).get(path) === sha256(read.text)) return examplesFile;
  note(asTyped(`${examplesFile} is not used: climax enrich completes and accepts it`));
  return undefined;
}

/** Records that the person has accepted the file of examples as it is. */
export async function acceptExamples(): Promise<void> {
  const list = fileOfAcceptedScripts();
  const text = await requireText(examplesFile, "Nothing was accepted");
  if (list !== undefined) await acceptScript(examplesFile, sha256(text), list);
}
