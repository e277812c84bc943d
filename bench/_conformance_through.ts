/**
 * The conformance suite against a reference server, directly and through climax: what passes directly passes
 * through climax too, but for tests/conformance/expected-through.yaml.
 */

import { join } from "node:path";
import { parse } from "yaml";
import { startHttpServer } from "./_http_server.ts";
import { startRenameProxy } from "./_rename_proxy.ts";

export interface ThroughOptions {
  /** Runs the suite against the server at `url`, with its results in `folder`. */
  readonly run: (url: string, folder: string, set: string) => Promise<void>;
  readonly path: (name: string) => string;
  readonly sets: readonly string[];
}

/** Returns whether nothing is lost but what is expected, and nothing passes that is expected to be lost. */
export async function isSameThrough({ run, path, sets }: ThroughOptions): Promise<boolean> {
  const server = "reference";
  const deno = [Deno.execPath(), "run", "--quiet"] as const;
  await using reference = await startHttpServer([
    ...deno,
    ...["--no-check", "--allow-net=127.0.0.1", path("tests/conformance/reference_server.ts")],
  ]);
  const folder = await Deno.makeTempDir({ prefix: "climax-conformance-" });
  const config = join(folder, "servers.json");
  const mcpServers = { [server]: { type: "http", url: reference.url } };
  await Deno.writeTextFile(config, JSON.stringify({ mcpServers }));
  await using climax = await startHttpServer([
    ...deno,
    ...["--allow-read", "--allow-env", "--allow-run", "--allow-write", "--allow-net"],
    ...[path("main.ts"), "run", "--mcp", config, "--classic", "--http", "0"],
    ...["--log-level", "info"],
  ]);
  await using proxy = startRenameProxy(climax.url, `${server}__`);
  const lost: string[] = [];
  let count = 0;
  for (const set of sets) {
    const [directly, through] = [join(folder, `${set}-direct`), join(folder, `${set}-through`)];
    await run(proxy.url, through, set);
    await run(reference.url, directly, set);
    const passed = await passedIn(through);
    const direct = await passedIn(directly);
    count += direct.size;
    for (const check of direct) {
      if (!passed.has(check)) lost.push(`${set} ${check}`);
    }
  }
  await Deno.remove(folder, { recursive: true });
  const text = await Deno.readTextFile(path("tests/conformance/expected-through.yaml"));
  const expected = new Set<string>(parse(text) ?? []);
  const missing = lost.filter((check) => !expected.has(check));
  const stale = [...expected].filter((check) => !lost.includes(check));
  for (const check of missing) report(`lost through climax: ${check}`);
  for (const check of stale) report(`expected to be lost, and is not: ${check}`);
  const all = `${count} checks that pass directly`;
  report(`through climax: ${lost.length} of ${all} lost, ${expected.size} expected`);
  return missing.length + stale.length === 0;
}

/** `SCENARIO:CHECK` for each check that passed. */
async function passedIn(folder: string): Promise<Set<string>> {
  const passed = new Set<string>();
  for await (const { name } of Deno.readDir(folder)) {
    const scenario = name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, "");
    const checks = JSON.parse(await Deno.readTextFile(join(folder, name, "checks.json")));
    for (const { id, status } of checks) {
      if (status === "SUCCESS") passed.add(`${scenario}:${id}`);
    }
  }
  return passed;
}

function report(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
