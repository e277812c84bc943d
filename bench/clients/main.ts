/**
 * Clients that others wrote drive the server in both modes, and a matrix says what worked:
 * `deno task clients [CLIENT…]`. Installs them first, within 10 minutes, into the folder that
 * `CLIMAX_CLIENTS_DIR` names, or into `dist/clients`; then says what it does and what came of it, and ends within
 * 6 minutes. It takes Node.js, Python, and Linux with bubblewrap: no client reaches a network.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { print, printTable } from "../../src/cli/output.ts";
import { climax, environment, root } from "../../tests/e2e/_server.ts";
import { scratch } from "../../tests/e2e/_scratch.ts";
import { driveCommandLine, inspector, mcporter } from "./_command_line.ts";
import { drive, leftBehind, type Outcome, type Plan, type Step, steps } from "./_drive.ts";
import { beginTrial, forAll, installed, type Packages, requireTime, say } from "./_install.ts";

/** A client: where it comes from, and how it is driven from the folder it was installed into. */
interface Client {
  readonly name: string;
  readonly packages: Packages;
  drive(folder: string, plan: Plan): AsyncIterable<Outcome>;
}

const node = (name: string, ...wanted: string[]): Client => ({
  name,
  packages: { from: "npm", wanted },
  async *drive(folder, plan) {
    // Packages are looked for beside the file that imports them
    await Deno.copyFile(beside("drive.mjs"), join(folder, "drive.mjs"));
    yield* drive(["node", join(folder, "drive.mjs"), name], plan);
  },
});

const python = (name: string, ...wanted: string[]): Client => ({
  name,
  packages: { from: "pip", wanted },
  drive(folder, plan) {
    return drive([join(folder, "bin", "python"), beside("drive.py"), name], plan);
  },
});

const clients: readonly Client[] = [
  node("typescript-1", "@modelcontextprotocol/sdk@1"),
  node("typescript-2", "@modelcontextprotocol/client@2"),
  node("ai-sdk", "@ai-sdk/mcp@2", "ai@7"),
  python("python-1", "mcp<2"),
  python("python-2", "mcp>=2,<3"),
  python("fastmcp", "fastmcp>=4,<5"),
  python("langchain", "langchain-mcp-adapters<1"),
  python("openai-agents", "openai-agents<1"),
  {
    name: "mcporter",
    packages: { from: "npm", wanted: ["mcporter@0.12"] },
    drive(folder, plan) {
      const path = join(folder, "node_modules", ".bin", "mcporter");
      return driveCommandLine(mcporter(path, plan), plan);
    },
  },
  {
    name: "inspector",
    packages: { from: "npm", wanted: ["@modelcontextprotocol/inspector@2"] },
    drive(folder, plan) {
      const path = join(folder, "node_modules", ".bin", "mcp-inspector");
      return driveCommandLine(inspector(path, plan), plan);
    },
  },
];

const asked = Deno.args.length === 0
  ? clients
  : clients.filter(({ name }) => Deno.args.includes(name));
const home = Deno.env.get("CLIMAX_CLIENTS_DIR") ?? join(root, "dist", "clients");
const rows: string[][] = [];
const failures: string[] = [];
const skipped: string[] = [];
const folders = new Map<Client, string>();
await forAll(asked, async (client) => {
  const folder = await installed(home, client, skipped);
  if (folder !== undefined) folders.set(client, folder);
});
beginTrial();
const modes = [...folders].flatMap(([client, folder]) =>
  [false, true].map((classic) => ({ client, folder, classic }))
);
await forAll(modes, async ({ client, folder, classic }) => {
  try {
    rows.push(await tried(client, folder, classic));
  } catch (error) {
    failures.push(`${client.name}: ${(error as Error).message}`);
  }
});
await printTable(["CLIENT", "MODE", ...steps.map((step) => step.toUpperCase())], rows.toSorted());
for (const text of [...skipped, ...failures]) await print(text);
await print(`${folders.size} of ${asked.length} clients tried, ${failures.length} steps failed`);
Deno.exitCode = failures.length > 0 || folders.size === 0 ? 1 : 0;

/** A row of the matrix. */
async function tried(client: Client, folder: string, classic: boolean): Promise<string[]> {
  requireTime();
  await using dir = await scratch();
  const mark = crypto.randomUUID();
  const config = beside("tools.yaml");
  const [command, ...args] = climax("run", config, ...(classic ? ["--classic"] : []));
  const plan: Plan = {
    command,
    args,
    env: environment({ CLIMAX_CLIENTS_MARK: mark }),
    classic,
    tools: ["things_say", "things_fail", "things_count", "things_hold"],
    file: join(dir.path, "held"),
  };
  const mode = classic ? "classic" : "discovery";
  say(`${client.name}: is driven, ${mode}`);
  const found = new Map<Step, string>();
  for await (const { step, ok, note } of client.drive(folder, plan)) {
    const left = step === "shutdown" ? await leftBehind(mark) : [];
    const isFine = ok !== false && left.length === 0;
    found.set(step, ok === null ? "-" : isFine ? `ok${note === "" ? "" : `, ${note}`}` : "FAILED");
    say(`${client.name}, ${mode}, ${step}: ${found.get(step)}`);
    if (isFine) continue;
    const why = left.length > 0 ? `process ${left.join(", ")} is left` : note;
    failures.push(`${client.name}, ${mode}, ${step}: ${why}`);
  }
  return [client.name, mode, ...steps.map((step) => found.get(step) ?? "FAILED")];
}

function beside(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
