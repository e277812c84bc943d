/** Prints the Deno permissions that serving needs: those of one session, or of the sessions of profiles. */

import { dirname, join, resolve } from "node:path";
import { systemPath } from "../io.ts";
import { profileScope, separateScopes } from "../process/profile.ts";
import { loginsFolder, stateVariables } from "../process/folders.ts";
import {
  allPermissions,
  type SessionPermissionOptions,
  type SessionPermissions,
} from "../session/permissions.ts";
import { openSession, type SessionOptions } from "../session/session.ts";
import { profileSession, readProfiles } from "./served_profiles.ts";
import { ExitCode, FileError, UsageError } from "../errors.ts";
import { addressText, parseAddress } from "../process/address.ts";
import { readStateAddress } from "../state/address.ts";
import { shellWord } from "../text/shell_word.ts";
import { harmless } from "../text/escape.ts";
import { print, printJson } from "./output.ts";
import type { HttpFlags } from "./http_options.ts";
import { codeFolders } from "../worker/run_task.ts";

/** Prints on one line the flags of Deno that serving with these options needs. */
export async function printPermissions(
  { profiles, isPlain, json, session, audit, recordsActivity, ...flags }: PrintOptions,
): Promise<ExitCode> {
  const needed: SessionPermissions[] = [];
  if (isPlain) needed.push(await sessionPermissions(session, { audit, recordsActivity }));
  if (profiles !== undefined) {
    needed.push(...await profilePermissions(profiles, session, { audit, recordsActivity }));
  }
  const own = allPermissions(needed);
  // Modules that are loaded late are read from these folders, and so are configs, policies and helpers
  const code = codeFolders().flatMap((folder) => [folder, join(dirname(folder), "configs")]);
  const needs = withHttp({ ...own, read: [...own.read, ...code] }, flags);
  const words = permissionFlags(needs);
  if (json) await printJson({ flags: words, ...needs });
  else await print(harmless(words.map((word) => shellWord(word)).join(" ")));
  return ExitCode.ok;
}

interface PrintOptions extends HttpFlags {
  readonly session: SessionOptions;
  readonly audit?: string | undefined;
  readonly recordsActivity?: boolean | undefined;
  /** True when not everything that is served belongs to a profile. */
  readonly isPlain: boolean;
  readonly json?: true | undefined;
}

type LogOptions = SessionPermissionOptions & Pick<PrintOptions, "recordsActivity">;

/** Returns the permissions of the session that `options` open. @throws {ClimaxError} with every problem of its configs and policy */
async function sessionPermissions(
  options: SessionOptions,
  { recordsActivity = false, ...asked }: LogOptions,
): Promise<SessionPermissions> {
  const session = await openSession(options);
  try {
    const needs = await session.permissions(asked);
    const folder = loginsFolder();
    // The session reads servers the same way: they may bring tools later
    const asks = recordsActivity || options.mcp !== undefined ||
      session.index.tools.some(({ needsConsent }) => needsConsent);
    if (folder === undefined || !asks) return needs;
    // This folder has the calls that wait for a person, and the activity log
    return allPermissions([needs, { read: [folder], write: [folder], env: stateVariables }]);
  } finally {
    await session.close();
  }
}

/**
 * Returns the permissions of each profile of the file at `path`, and of the file itself. The
 * sessions are otherwise `common`.
 */
async function profilePermissions(
  path: string,
  common: SessionOptions,
  { audit, recordsActivity }: LogOptions,
): Promise<SessionPermissions[]> {
  const { own, end } = separateScopes();
  try {
    return await own(async () => {
      const { all } = await readProfiles(path);
      // All profiles share one log, whatever their directories
      const options = { audit: audit && resolve(systemPath(audit)), recordsActivity };
      const read = [resolve(systemPath(path)), ...all.map(({ directory }) => directory)];
      const needs: SessionPermissions[] = [{ read, run: [], write: [], env: [], net: [] }];
      for (const profile of all) {
        const session = profileSession(profile, common);
        const inPlace = profileScope(profile.name, profile.directory);
        const needed = await inPlace(async () => {
          const { read, ...rest } = await sessionPermissions(session, options);
          // Paths are relative to this directory
          return { ...rest, read: read.map((file) => resolve(systemPath(file))) };
        });
        needs.push(needed);
      }
      return needs;
    });
  } finally {
    end();
  }
}

function withHttp(
  needs: SessionPermissions,
  { http, metrics, tokens, issuer, state, signingKey }: HttpFlags,
): GrantedPermissions {
  // The values of its variables may be on another machine
  const store = state === undefined ? undefined : readStateAddress(state, (name) => name);
  const addresses = [http, metrics].flatMap((text) => {
    return text === undefined ? [] : [addressText(parseAddress(text))];
  });
  const issuers = issuer === undefined ? [] : [hostOf(issuer)];
  return {
    ...needs,
    read: [
      ...needs.read,
      ...[tokens, signingKey, store?.authority].filter((file) => file !== undefined),
    ],
    // Its client reads the names of all variables
    env: store === undefined ? needs.env : "all",
    net: needs.net === "all"
      ? "all"
      : [...needs.net, ...addresses, ...issuers, ...store ? [addressText(store)] : []],
  };
}

function hostOf(issuer: string): string {
  const url = URL.parse(issuer);
  if (url !== null && url.host !== "") return url.host;
  throw new UsageError(`--issuer takes a URL, not '${issuer}'`);
}

/** The permissions of a process, which may read all variables. */
type GrantedPermissions = Omit<SessionPermissions, "env"> & {
  readonly env: readonly string[] | "all";
};

/** Formats flags, one for each kind. @throws {ClimaxError} for a name that no flag can contain */
function permissionFlags({ run, read, write, env, net }: GrantedPermissions): string[] {
  return Object.entries({ run, read, write, env, net }).flatMap(([kind, values]) => {
    if (values === "all") return [`--allow-${kind}`];
    const problems = values.filter((value) => value.includes(",")).map((value) => ({
      message: `'${value}' has a comma in it, which a flag of Deno takes for the end of a name`,
    }));
    if (problems.length > 0) throw new FileError("The flags were not written", ...problems);
    return values.length === 0 ? [] : [`--allow-${kind}=${values.join(",")}`];
  });
}
