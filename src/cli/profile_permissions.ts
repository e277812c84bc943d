/** The Deno permissions that serving profiles takes. */

import { resolve } from "node:path";
import { systemPath } from "../io.ts";
import { placeOf, separatePlaces } from "../process/profile.ts";
import type { SessionPermissionOptions, SessionPermissions } from "../session/permissions.ts";
import { openSession, type SessionOptions } from "../session/session.ts";
import { readProfiles } from "./profiles_file.ts";
import { profileSession } from "./served_profiles.ts";

/** Those of each profile of the file at `path`, whose session is otherwise `common`, and of the file itself. */
export async function profilePermissions(
  path: string,
  common: SessionOptions,
  { audit, ...asked }: SessionPermissionOptions,
): Promise<SessionPermissions[]> {
  const { own, end } = separatePlaces();
  try {
    return await own(async () => {
      const { all } = await readProfiles(path);
      // The log is one, wherever the directories are
      const options = { ...asked, audit: audit && resolve(systemPath(audit)) };
      const read = [resolve(systemPath(path)), ...all.map(({ directory }) => directory)];
      const needs: SessionPermissions[] = [{ read, run: [], write: [], env: [], net: [] }];
      for (const profile of all) {
        const { name, directory } = profile;
        const own = profileSession(profile, common);
        needs.push(
          await placeOf(name, directory)(async () => {
            await using session = await openSession(own);
            const needed = await session.permissions(options);
            const files = needed.read.map((file) => resolve(systemPath(file)));
            return { ...needed, read: files };
          }),
        );
      }
      return needs;
    });
  } finally {
    end();
  }
}
