/** Logs in to the servers of `_auth_server.ts` as a person with a browser does. */

import { logIn, type LogInOptions } from "../../../src/sources/upstream/login/log_in.ts";
import type { StoredLogin } from "../../../src/sources/upstream/login/stored_login.ts";
import type { ServerSpec } from "../../../src/sources/upstream/spec.ts";
import { withVariables } from "../../_io.ts";
import "../../_upstream.ts";
import { type AuthServer, preregistered } from "./_auth_server.ts";

/** The variables of a test, and no others. */
export const environment = (name: string) => {
  return name === "CLIENT_SECRET" ? preregistered.secret : undefined;
};

export interface AgreeOptions extends Partial<LogInOptions> {
  /** Who agrees. @default somebody */
  readonly subject?: string;
}

/** The whole login, whose person agrees at once. */
export async function logInAt(
  server: AuthServer,
  spec: ServerSpec = server.spec(),
  { subject, ...options }: AgreeOptions = {},
): Promise<StoredLogin> {
  return await logIn(spec, {
    environment,
    show: async (address) => {
      const page = await server.agree(address, subject);
      await page.body?.cancel();
    },
    ...options,
  });
}

/** A state folder of this test file alone; dispose it to remove it. */
export function stateFolderOfTest(
  path: string = Deno.makeTempDirSync({ prefix: "climax_test_state_" }),
): Disposable & { readonly path: string } {
  const variables = withVariables({ CLIMAX_STATE_DIR: path });
  return {
    path,
    [Symbol.dispose]() {
      variables[Symbol.dispose]();
      Deno.removeSync(path, { recursive: true });
    },
  };
}
