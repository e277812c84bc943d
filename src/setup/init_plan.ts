/** Plans the config that `climax init` writes: servers without duplicates and secrets, and a language model. */

import { modelless, type ProviderType } from "../agents/llm/settings.ts";
import { FileError, formatPlace, UsageError } from "../errors.ts";
import { systemPath } from "../io.ts";
import { configVersion, type ProjectFile, type ServerFile } from "../sources/upstream/schema.ts";
import {
  dialectOf,
  otherKeys,
  ownDialect,
  serversIn,
} from "../sources/upstream/foreign/dialects.ts";
import { readForeignServer } from "../sources/upstream/foreign/read.ts";
import { canonicalJson, isObject, ownProperty } from "../text/own_property.ts";
import { moveSecrets, type Secrets, withoutHome } from "./init_secrets.ts";
import { placeOf } from "../files/finding.ts";
import { readTextFile } from "../files/text_file.ts";
import { parseClientFile, readSettingsOf } from "../sources/upstream/foreign/settings.ts";
import { clientNames, clients, filesOf } from "./clients.ts";

interface InitOptions {
  readonly folder: string;
  readonly clients?: readonly string[] | undefined;
  readonly provider: ProjectFile["llmProvider"] | undefined;
  readonly existing?: Readonly<Record<string, unknown>> | undefined;
}

export type InitPlan = Awaited<ReturnType<typeof planInit>>;

export async function planInit(options: InitOptions) {
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
  const config: Readonly<Record<string, unknown>> = {
    version: configVersion,
    ...rest,
    mcpServers: [...before, ...added.map(({ server }) => server)],
    ...(provider && { llmProvider: provider }),
    projectContext: await contextOf(folder, projectContext),
  };
  return { config, added, notes, secrets };
}

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

function identityOf({ transport, command, args = [], url }: ServerFile): string {
  // `npx -y x`, `npx x` and `npx x@latest` start the same server, so they count as duplicates
  const words = args.filter((word) => word !== "-y" && word !== "--yes")
    .map((word) => word.replace(/@latest$/, ""));
  return canonicalJson([transport, command, words, url?.replace(/\/$/, "")]);
}

async function contextOf(folder: string, existing: unknown): Promise<object | undefined> {
  const there = await Array.fromAsync(Deno.readDir(systemPath(folder)), ({ name }) => name);
  const agentFilePath = there.find((name) => /^agents?\.md$/i.test(name));
  const claudeFilePath = there.find((name) => name.toLowerCase() === "claude.md");
  const context = {
    ...(agentFilePath && { agentFilePath }),
    ...(claudeFilePath && { claudeFilePath }),
    ...(isObject(existing) ? existing : {}),
  };
  return Object.keys(context).length === 0 ? undefined : context;
}

export type ProviderFile = NonNullable<ProjectFile["llmProvider"]>;

/** Plans a project's language model. @throws {UsageError} when its provider has no default and none is named */
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
  return { credentialSource: "env-var", ...kept, type, ...(named ? { model: named } : {}) };
}

interface FoundServer {
  readonly server: ServerFile;
  readonly place: ClientConfigFile;
}

async function importServers({ client, path }: ClientConfigFile, folder: string) {
  const read = await readTextFile(path);
  if (!read.ok) {
    return { found: [], notes: read.isMissing ? [] : [`${path}: ${read.problem.message}`] };
  }
  const parsed = await parseClientFile(path, read.text);
  if ("fault" in parsed) {
    const { offset, message } = parsed.fault;
    const place = formatPlace({ file: path, ...placeOf(read.text, offset) });
    return { found: [], notes: [`${place}: The file cannot be read: ${message}`] };
  }
  const { value } = parsed;
  const dialect = dialectOf(client.name);
  const say = await readSettingsOf(dialect, folder, { path, value });
  // Claude Code also keeps servers for single folders, below `projects` in its settings, so those are read too
  const ofFolder = ownProperty(ownProperty(ownProperty(value, "projects"), folder), client.key);
  const written = [ownProperty(value, client.key), ofFolder].flatMap((map) => serversIn(map) ?? []);
  const notes = otherKeys(path, value, client.key).map((key) =>
    `${path}: climax does not use '${key}'`
  );
  const found = written.flatMap(({ name, written }) => {
    // The config is in the project's folder, so relative paths in it mean the same as in the client's file
    const { server, reason, ...more } = readForeignServer(name, written, {
      dialect,
      root: ".",
      say,
    });
    const said = server === undefined
      ? [`is left out: ${reason}`]
      : [...more.notes, ...more.warnings];
    notes.push(...said.map((note) => `${path}: server '${name}'${server ? ":" : ""} ${note}`));
    return server === undefined ? [] : [{ server, place: { client, path } }];
  });
  return { found, notes };
}

type ClientConfigFile = ReturnType<typeof placesFor>[number];

function placesFor(folder: string) {
  return (["project", "user"] as const).flatMap((scope) => {
    return clients.flatMap((client) => {
      return filesOf(client, scope, folder).map((path) => ({ client, path }));
    });
  });
}
