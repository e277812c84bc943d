/** Plans the file of `climax init`: servers without duplicates and secrets, and the model. */

import { modelless, type ProviderType } from "../agents/llm/settings.ts";
import { FileError, UsageError } from "../errors.ts";
import { systemPath } from "../io.ts";
import { configVersion, type ProjectFile, type ServerFile } from "../sources/upstream/schema.ts";
import { ownDialect, serversIn } from "../sources/upstream/foreign/dialects.ts";
import { readForeignServer } from "../sources/upstream/foreign/read.ts";
import { canonicalJson } from "../text/own_property.ts";
import { clientNames, type FoundServer, importServers, placesFor } from "./init_import.ts";
import { moveSecrets, type Secrets, withoutHome } from "./init_secrets.ts";

interface InitOptions {
  /** The project's folder, absolute. */
  readonly folder: string;
  /** The clients to import from. @default all of them */
  readonly clients?: readonly string[] | undefined;
  readonly provider: ProjectFile["llmProvider"] | undefined;
  readonly existing?: Readonly<Record<string, unknown>> | undefined;
}

export interface InitPlan {
  /** The whole file, with unknown keys of an existing one. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The servers that the file does not have yet, by the file that has them. */
  readonly added: readonly FoundServer[];
  readonly notes: readonly string[];
  /** The values of the variables that servers now refer to. They serve connections and are never written. */
  readonly secrets: Secrets;
}

export async function planInit(options: InitOptions): Promise<InitPlan> {
  const { folder, clients = clientNames, provider, existing = {} } = options;
  const places = placesFor(folder).filter(({ client }) => clients.includes(client.name));
  const imports = await Promise.all(places.map((place) => importServers(place, folder)));
  const notes = imports.flatMap((each) => each.notes);
  const secrets: Secrets = new Map();
  const { mcpServers, projectContext, ...rest } = existing;
  const before = serversBefore(mcpServers);
  const found = imports.flatMap((each) => each.found)
    .map((each) => ({ ...each, server: withoutHome(each.server) }));
  const added = withoutDoubles(found, before, notes)
    .map(({ server, place }) => ({ server: moveSecrets(server, secrets), place }));
  const context = await contextOf(folder, projectContext);
  return {
    config: {
      version: configVersion,
      ...rest,
      mcpServers: [...before, ...added.map(({ server }) => server)],
      ...(provider === undefined ? {} : { llmProvider: provider }),
      ...(context === undefined ? {} : { projectContext: context }),
    },
    added,
    notes,
    secrets,
  };
}

/** Returns the servers of an existing file as a list. @throws {FileError} when they cannot be read */
function serversBefore(written: unknown): readonly ServerFile[] {
  if (Array.isArray(written)) return written;
  const servers = written === undefined ? [] : serversIn(written);
  const read = servers?.map(({ name, written }) => {
    return { name, ...readForeignServer(name, written, { dialect: ownDialect }) };
  });
  const wrong = read?.find(({ server }) => server === undefined);
  if (read !== undefined && wrong === undefined) return read.map(({ server }) => server!);
  const message = wrong === undefined
    ? "'mcpServers' is neither a list nor a map"
    : `Server '${wrong.name}' cannot be kept: ${wrong.reason}`;
  throw new FileError("Nothing was written", { message, hint: "Fix it, or take it out" });
}

/** Keeps each server once; notes duplicates, and other servers with a taken name. */
function withoutDoubles(
  found: readonly FoundServer[],
  before: readonly ServerFile[],
  notes: string[],
): FoundServer[] {
  const names = new Set(before.map((server) => server.name));
  const known = new Map(before.map((server) => [identityOf(server), server.name]));
  return found.flatMap(({ server, place }) => {
    const same = known.get(identityOf(server));
    if (same !== undefined) {
      const as = same === server.name ? "" : ` as '${same}'`;
      notes.push(`${place.path}: server '${server.name}' is there already${as}`);
      return [];
    }
    let name = server.name;
    for (let number = 2; names.has(name); number++) name = `${server.name}-${number}`;
    if (name !== server.name) {
      notes.push(`${place.path}: server '${server.name}' becomes '${name}': its name is taken`);
    }
    names.add(name);
    known.set(identityOf(server), name);
    return [{ server: { ...server, name }, place }];
  });
}

/** Returns the identity of a server: how it is reached, not its name or its options. */
function identityOf({ transport, command, args = [], url }: ServerFile): string {
  // npx -y x, npx x and npx x@latest are one server
  const words = args.filter((word) => word !== "-y" && word !== "--yes")
    .map((word) => word.replace(/@latest$/, ""));
  return canonicalJson([transport, command, words, url?.replace(/\/$/, "")]);
}

/** Returns the files that tell agents about the project, unless the file names some. */
async function contextOf(folder: string, existing: unknown): Promise<object | undefined> {
  const before = typeof existing === "object" && existing !== null ? existing : {};
  const there = await Array.fromAsync(Deno.readDir(systemPath(folder)), ({ name }) => name);
  const agentFilePath = agentFiles.find((name) => there.includes(name));
  const claudeFilePath = there.find((name) => name.toLowerCase() === "claude.md");
  const context = {
    ...(agentFilePath === undefined ? {} : { agentFilePath }),
    ...(claudeFilePath === undefined ? {} : { claudeFilePath }),
    ...before,
  };
  return Object.keys(context).length === 0 ? undefined : context;
}

const agentFiles = ["AGENTS.md", "Agents.md", "AGENT.md", "Agent.md", "agents.md", "agent.md"];

export type ProviderFile = NonNullable<ProjectFile["llmProvider"]>;

/** Returns the provider that the file has or the options ask for, if any. @throws {UsageError} without a model */
export function providerFrom(
  { provider, model }: {
    readonly provider?: ProviderType | undefined;
    readonly model?: string | undefined;
  },
  existing: unknown,
): ProviderFile | undefined {
  if ((existing ?? provider ?? model) === undefined) return undefined;
  const before = (existing ?? {}) as Partial<ProviderFile>;
  const type = provider ?? before.type ?? "anthropic";
  const kept = type === before.type ? before : {};
  const named = model ?? kept.model;
  if (!named && modelless.includes(type)) {
    throw new UsageError(`--model is needed: '${type}' has no default`, "--model NAME");
  }
  return {
    credentialSource: "env-var",
    ...kept,
    type,
    ...(named ? { model: named } : {}),
  };
}
