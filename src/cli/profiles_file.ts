/** Reads profiles: what is served at `/mcp/p/NAME`. No directory of one may be in another's. */

import { dirname, resolve } from "node:path";
import * as z from "zod";
import { ClimaxError, ExitCode, type Problem } from "../errors.ts";
import { contains } from "../files/contains.ts";
import { readDocument } from "../files/document.ts";
import { readTextFile } from "../files/text_file.ts";
import { systemPath } from "../io.ts";
import { isProfileName } from "../process/profile.ts";
import { isPolicyName } from "../policy/locate.ts";
import { isConfigPath } from "../sources/command/locate.ts";
import type { HttpClientIdentity } from "../server/http/client.ts";

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

/** All paths are absolute; configs and policies may be names. */
export interface Profile {
  readonly name: string;
  /** Programs and servers start here. */
  readonly directory: string;
  readonly configs: readonly string[];
  readonly mcp: readonly string[] | undefined;
  readonly policy: string | undefined;
}

export interface Profiles {
  readonly all: readonly Profile[];
  /** True if some profile is for certain clients only, which then need names. */
  readonly hasClients: boolean;
  admits(client: HttpClientIdentity, name: string): boolean;
  /** Returns whether some profile names `client` or one of its scopes. */
  binds(client: HttpClientIdentity): boolean;
}

type WrittenProfile = z.infer<typeof profileSchema>;

/** @throws {ClimaxError} with every problem of the file and its directories */
export async function readProfiles(path: string): Promise<Profiles> {
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
    ...await directoryProblems(all),
  ];
  if (problems.length > 0) throw wrong(problems.map((message) => ({ file: path, message })));
  const names = new Map(written);
  return {
    all,
    hasClients: written.some(([, { clients, scopes }]) => (clients ?? scopes) !== undefined),
    admits: (client, name) => {
      const profile = names.get(name);
      if (profile === undefined) return false;
      return (profile.clients ?? profile.scopes) === undefined || isNamed(client, profile);
    },
    binds: (client) => written.some(([, profile]) => isNamed(client, profile)),
  };
}

function isNamed({ name, scopes: own }: HttpClientIdentity, profile: WrittenProfile): boolean {
  const { clients = [], scopes = [] } = profile;
  return name !== undefined && clients.includes(name) || scopes.some((each) => own.includes(each));
}

function profileOf(name: string, written: WrittenProfile, folder: string): Profile {
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
  const isNamed = isProfileName(name);
  const hasSource = configs.length + mcp.length > 0;
  return [
    ...isNamed ? [] : [
      `Profile '${name}' cannot have this name: up to 63 of a-z, 0-9 and '-' are allowed, ` +
      "and no '-' at its ends",
    ],
    ...hasSource ? [] : [`Profile '${name}' serves nothing: name 'configs' or 'mcp'`],
  ];
}

/** As the system resolves them: links may lead into the directory of another profile. */
async function directoryProblems(profiles: readonly Profile[]): Promise<string[]> {
  const problems: string[] = [];
  const known: { readonly name: string; readonly path: string }[] = [];
  for (const { name, directory } of profiles) {
    const path = await directoryPath(directory);
    if (path === undefined) {
      problems.push(`Profile '${name}' has no directory: '${directory}' must exist`);
      continue;
    }
    const other = known.find((each) => contains(each.path, path) || contains(path, each.path));
    if (other !== undefined) {
      problems.push(
        `Profiles '${other.name}' and '${name}' share files: '${path}' must be outside of ` +
          `'${other.path}', and the other way round`,
      );
    }
    known.push({ name, path });
  }
  return problems;
}

async function directoryPath(path: string): Promise<string | undefined> {
  try {
    const real = await Deno.realPath(systemPath(path));
    return (await Deno.stat(systemPath(real))).isDirectory ? real : undefined;
  } catch {
    return undefined;
  }
}

function wrong(problems: readonly Problem[]): ClimaxError {
  return new ClimaxError("The profiles were not read", ExitCode.file, problems);
}
