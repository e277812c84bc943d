/** A place with something for every program of the bundled configs, and a server of those that are here. */

import { join } from "node:path";
import { connect, type ConnectedClient } from "../../e2e/_clients.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { place as placeOutsideTmp } from "../../_sandbox.ts";
import { programOf } from "../../configs/_programs.ts";

/** The secret in every file that no call may read. */
export const secret = "hunter2hunter2";

/** The place, the server in it, and calls of it. */
export interface Ground extends AsyncDisposable {
  /** The directory in which the server runs. */
  readonly work: string;
  /** Beside it: a home, and where a program of the agent's would leave a trace. */
  readonly outside: string;
  readonly client: ConnectedClient;
  /** Calls a tool; what it answers. */
  call(tool: string, args?: Record<string, unknown>): Promise<string>;
}

/**
 * Serves `configs` in a directory that holds `files`, secrets among them, with secrets in the
 * environment and beside the directory. `$PLACE` in files and variables is that which holds them all.
 */
export async function ground(
  configs: readonly string[],
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<Ground> {
  // A sandbox has a /tmp of its own, without the programs that stand there
  const place = configs.includes("--sandbox") ? await placeOutsideTmp() : await scratch();
  const [work, home, bin] = ["work", "home", "bin"].map((name) => join(place.path, name)) as [
    string,
    string,
    string,
  ];
  for (const directory of [work, home, bin]) await Deno.mkdir(directory);
  for (const hidden of [join(place.path, "secret.json"), join(home, ".netrc")]) {
    await Deno.writeTextFile(hidden, JSON.stringify({ secret }));
  }
  for (const [name, text] of Object.entries(files)) {
    const path = join(work, name);
    await Deno.mkdir(join(path, ".."), { recursive: true });
    await Deno.writeTextFile(path, text.replaceAll("$PLACE", place.path), { mode: 0o755 });
  }
  await Deno.writeTextFile(join(work, ".env"), `TOKEN=${secret}\n`);
  // A name that Debian gives to another program
  const fd = programOf("fd");
  if (fd !== undefined) await Deno.symlink(fd, join(bin, "fd"));
  const client = await connect([...configs], {
    cwd: work,
    env: {
      SECRET_TOKEN: secret,
      ...Object.fromEntries(
        Object.entries(env).map(([name, text]) => [name, text.replaceAll("$PLACE", place.path)]),
      ),
      PATH: `${bin}:${Deno.env.get("PATH")}`,
    },
  });
  return {
    work,
    outside: place.path,
    client,
    call: async (tool_name, args = {}) => {
      const { text, isError, beside = [] } = await client.call("climax_call", { tool_name, args });
      return isError ? [text, ...beside].join("\n\n") : text;
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}
