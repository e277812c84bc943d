/**
 * The programs that `climax connect` writes for read what it writes, and hold a conversation through it
 * with a model that is ours: `deno task client-programs [CLIENT…]`. Installs them from npm first, within 10 minutes,
 * into `dist/client-programs`. Then `trial.ts` tries those that are there, within 6 minutes, without a login, where
 * there is no network but a loopback of its own. It takes Linux with bubblewrap.
 */

import { fileURLToPath } from "node:url";
import { print } from "../../src/cli/output.ts";
import { alone, forAll, installed } from "../clients/_install.ts";
import { binOf, folder } from "./_home.ts";
import { programs } from "./_programs.ts";

const asked = programs.filter(({ name }) => Deno.args.length === 0 || Deno.args.includes(name));
const skipped: string[] = [];
const there: string[] = [];
const fetch = async (name: string, wanted: readonly string[]) => {
  const env = { PATH: [binOf("node"), Deno.env.get("PATH")].join(":") };
  const packages = { from: "npm", wanted } as const;
  return await installed(folder, { name, packages }, skipped, env) !== undefined;
};
if (await fetch("node", ["node@22"])) {
  await forAll(asked, async ({ name, packages }) => {
    if (await fetch(name, packages)) there.push(name);
  });
}
/** Milliseconds after which everything is ended; `trial.ts` has half a minute less, to say what it saw. */
const maxMs = 6 * 60_000;
const trial = fileURLToPath(new URL("trial.ts", import.meta.url));
const [program, ...args] = alone(
  [Deno.execPath(), "run", "--cached-only", "--allow-all", trial, ...there],
  ["--unshare-pid", "--proc", "/proc"],
);
const { code } = there.length === 0
  ? { code: 1 }
  : await new Deno.Command(program, { args, stdin: "null", signal: AbortSignal.timeout(maxMs) })
    .spawn().status;
for (const text of skipped) await print(text);
await print(`${there.length} of ${asked.length} programs tried`);
Deno.exitCode = code;
