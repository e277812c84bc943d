/**
 * Reads the profiles of an HTTP server and serves them: each has a catalogue and a directory, and no directory contains
 * another.
 */

import { dirname, resolve } from "node:path";
import * as z from "zod";
import { systemPath } from "../io.ts";
import type { Jobs } from "../jobs/jobs.ts";
import { isPolicyName } from "../policy/locate.ts";
import { isProfileName, profileScope } from "../process/profile.ts";
import type { ClientRights } from "../server/http/client.ts";
import type { Surface } from "../server/surface.ts";
import type { SharedState } from "../state/shared_state.ts";
import type { SessionOptions } from "../session/session.ts";
import { type CatalogueOptions, openCatalogue, openOutputs, watchServed } from "./serve.ts";
import { type ClimaxError, FileError, type Problem } from "../errors.ts";
import { contains, realPathOf, statOf } from "../process/folders.ts";
import { readDocument } from "../files/document.ts";
import { readTextFile } from "../files/text_file.ts";
import { isConfigPath } from "../sources/command/locate.ts";

export interface ServedProfilesOptions extends CatalogueOptions {
  readonly profiles: string;
  readonly newJobs: () => Jobs;
  readonly state: SharedState | undefined;
}

type ServedProfile = Awaited<ReturnType<typeof openProfile>>;

/** Returns the options of a profile's session, with absolute paths because the working directory changes. */
function profileSession(
  { configs, mcp, policy: own }: Profile,
  common: SessionOptions,
): SessionOptions {
  const policy = own ?? common.policy;
  const isFile = typeof policy === "string" && !isPolicyName(policy);
  return {
    ...common,
    ...{ configs, mcp, policy: isFile ? resolve(systemPath(policy)) : policy },
    ...{ moreConfigs: undefined, examples: undefined },
  };
}

export async function openProfiles(
  session: SessionOptions,
  profiles: Profiles,
  options: ServedProfilesOptions,
) {
  let present = profiles;
  const served = new Map<string, ServedProfile>();
  for (const each of profiles.all) served.set(each.name, await openProfile(each, session, options));

  const apply = async (next: Profiles) => {
    const changed = next.all.filter((profile) => {
      return served.get(profile.name)?.text !== JSON.stringify(profile);
    });
    const opened = new Map<string, ServedProfile>();
    try {
      for (const each of changed) opened.set(each.name, await openProfile(each, session, options));
    } catch (error) {
      await Promise.all(opened.values().map((each) => each.close()));
      throw error;
    }
    const wanted = new Set(next.all.map(({ name }) => name));
    const closing = [...served].filter(([name]) => !wanted.has(name) || opened.has(name));
    for (const [name] of closing) served.delete(name);
    for (const [name, profile] of opened) {
      served.set(name, profile);
      profile.place(() => profile.catalogue.goLive());
    }
    present = next;
    await Promise.all(closing.map(([, each]) => each.close()));
  };

  const path = session.watch === false ? undefined : options.profiles;
  const unwatch = watchServed(path, readProfiles, apply);
  return {
    names: () => [...served.keys()],
    runningJobs: () => served.values().reduce((sum, { jobs }) => sum + jobs.running, 0),
    /** Returns the surface of the profile `name`; `undefined` if it does not exist or `client` may not use it. */
    surfaceFor(client: ClientRights, name: string): Surface | undefined {
      return present.admits(client, name) ? served.get(name)?.catalogue.surface : undefined;
    },
    binds: (client: ClientRights) => present.binds(client),
    placeOf: (name: string) => served.get(name)?.place,
    writes() {
      return served.values().some(({ place, catalogue }) => {
        return place(() => catalogue.session.permissions()).write;
      });
    },
    goLive() {
      for (const { place, catalogue } of served.values()) place(() => catalogue.goLive());
    },
    async close() {
      unwatch();
      await Promise.all(served.values().map((each) => each.close()));
    },
  };
}

async function openProfile(
  profile: Profile,
  common: SessionOptions,
  options: ServedProfilesOptions,
) {
  const { name, directory } = profile;
  const place = profileScope(name, directory);
  const jobs = options.newJobs();
  const outputs = await openOutputs(jobs, options.state, name);
  const { audit, semaphore } = common.shared ?? {};
  const own = profileSession(profile, common);
  const session = { ...own, outputs, jobs, shared: { audit, semaphore } };
  const catalogue = await place(() => openCatalogue(session, options));
  const close = async () => {
    await jobs.close();
    await catalogue.close();
    outputs.close();
  };
  return { text: JSON.stringify(profile), place, catalogue, jobs, close: () => place(close) };
}

const text = z.string().min(1, "expected a text, found an empty one");

const profileSchema = z.strictObject({
  directory: text,
  configs: z.array(text).optional(),
  mcp: z.array(text).optional(),
  policy: text.optional(),
  clients: z.array(text).optional(),
  scopes: z.array(text).optional(),
});

const profilesSchema = z.strictObject({ profiles: z.record(z.string(), profileSchema) });

type WrittenProfile = z.infer<typeof profileSchema>;

/** A profile as the file of profiles has it, but with absolute paths. */
type Profile = ReturnType<typeof profileOf>;

type Profiles = Awaited<ReturnType<typeof readProfiles>>;

export async function readProfiles(path: string) {
  const read = await readTextFile(path);
  if (!read.ok) throw wrong([read.problem]);
  const document = await readDocument(path, read.text, profilesSchema);
  if (!document.ok) throw wrong(document.problems);
  const written = Object.entries(document.value.profiles);
  const folder = dirname(resolve(systemPath(path)));
  const all = written.map(([name, profile]) => profileOf(name, profile, folder));
  const problems = [
    ...written.length === 0 ? ["The file has no profile"] : [],
    ...all.flatMap(shapeProblems),
    ...directoryProblems(all),
  ];
  if (problems.length > 0) throw wrong(problems.map((message) => ({ file: path, message })));
  const names = new Map(written);
  return {
    all,
    hasClients: written.some(([, { clients, scopes }]) => (clients ?? scopes) !== undefined),
    admits(client: ClientRights, name: string): boolean {
      const profile = names.get(name);
      if (profile === undefined) return false;
      return (profile.clients ?? profile.scopes) === undefined || isNamed(client, profile);
    },
    /** Returns true if a profile lists `client`, or one of the client's scopes. */
    binds: (client: ClientRights) => written.some(([, profile]) => isNamed(client, profile)),
  };
}

function isNamed({ name, scopes: own }: ClientRights, profile: WrittenProfile): boolean {
  const { clients = [], scopes = [] } = profile;
  return name !== undefined && clients.includes(name) || scopes.some((each) => own.includes(each));
}

function profileOf(name: string, written: WrittenProfile, folder: string) {
  const { directory, configs = [], mcp, policy } = written;
  const at = (path: string) => resolve(folder, path);
  return {
    name,
    directory: at(directory),
    configs: configs.map((config) => isConfigPath(config) ? at(config) : config),
    mcp: mcp?.map(at),
    policy: policy === undefined || isPolicyName(policy) ? policy : at(policy),
  };
}

function shapeProblems({ name, configs, mcp = [] }: Profile): string[] {
  const rule = "up to 63 of a-z, 0-9 and '-' are allowed, and no '-' at its ends";
  return [
    ...isProfileName(name) ? [] : [`Profile '${name}' cannot have this name: ${rule}`],
    ...configs.length + mcp.length > 0
      ? []
      : [`Profile '${name}' serves nothing: name 'configs' or 'mcp'`],
  ];
}

/** Finds missing and nested directories. Links are resolved: a link may lead into the directory of another profile. */
function directoryProblems(profiles: readonly Profile[]): string[] {
  const problems: string[] = [];
  const known: { readonly name: string; readonly path: string }[] = [];
  for (const { name, directory } of profiles) {
    const path = realPathOf(directory);
    if (path === undefined || !statOf(path)?.isDirectory) {
      problems.push(`Profile '${name}' has no directory: '${directory}' must exist`);
      continue;
    }
    const other = known.find((each) => contains(each.path, path) || contains(path, each.path));
    if (other !== undefined) {
      const what = `'${path}' and '${other.path}' must be outside of each other`;
      problems.push(`Profiles '${other.name}' and '${name}' share files: ${what}`);
    }
    known.push({ name, path });
  }
  return problems;
}

function wrong(problems: readonly Problem[]): ClimaxError {
  return new FileError("The profiles were not read", ...problems);
}
