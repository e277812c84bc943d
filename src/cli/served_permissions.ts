/** The Deno permissions that serving takes: those of one session, or of the sessions of profiles. */

import { resolve } from "node:path";
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

/** Those of the session that `options` open. @throws {ClimaxError} with every problem of its configs and policy */
export async function sessionPermissions(
  options: SessionOptions,
  asked: SessionPermissionOptions,
): Promise<SessionPermissions> {
  const session = await openSession(options);
  try {
    const needs = await session.permissions(asked);
    const folder = loginsFolder();
    // As for the session: servers may bring tools later
    const asks = options.mcp !== undefined ||
      session.index.tools.some(({ needsConsent }) => needsConsent);
    if (folder === undefined || !asks) return needs;
    // Where its calls wait for a person
    return allPermissions([needs, { read: [folder], write: [folder], env: stateVariables }]);
  } finally {
    await session.close();
  }
}

/** Those of each profile of the file at `path`, whose session is otherwise `common`, and of the file itself. */
export async function profilePermissions(
  path: string,
  common: SessionOptions,
  { audit, ...asked }: SessionPermissionOptions,
): Promise<SessionPermissions[]> {
  const { own, end } = separateScopes();
  try {
    return await own(async () => {
      const { all } = await readProfiles(path);
      // The log is one, wherever the directories are
      const options = { ...asked, audit: audit && resolve(systemPath(audit)) };
      const read = [resolve(systemPath(path)), ...all.map(({ directory }) => directory)];
      const needs: SessionPermissions[] = [{ read, run: [], write: [], env: [], net: [] }];
      for (const profile of all) {
        const session = profileSession(profile, common);
        const inPlace = profileScope(profile.name, profile.directory);
        const needed = await inPlace(async () => {
          const { read, ...rest } = await sessionPermissions(session, options);
          // The paths that are meant in this place
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
