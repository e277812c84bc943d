/**
 * Builds `npm/`, or the directory of `--output`: a package whose `bin` starts the portable form
 * (`dist/climax.mjs`, or the file of `--script`) with the executable of the npm package `deno`, so that it needs only
 * Node.js. The permissions are this task's other arguments. `_repository.ts` finds the
 * repository.
 */

import { dirname } from "node:path";
import manifest from "../deno.json" with { type: "json" };
import { buildArguments } from "./_arguments.ts";
import { denoVersion, description } from "./_facts.ts";
import { v8Flags } from "../src/process/own_command.ts";
import { registryName, repository, withAddresses } from "./_repository.ts";

const { options, flags } = buildArguments(Deno.args, ["output", "script", "repository"]);
const output = options.get("output") ?? "npm";
const program = options.get("script") ?? "dist/climax.mjs";

const address = repository(options);

/** The pages for people: the README, and the pages that it and the documents link to. */
const pages = [
  ...["README.md", "CHANGELOG.md", "LICENSE", "SECURITY.md"],
  ...[".github/CONTRIBUTING.md", "configs/README.md"],
  ...filesBelow("deploy"),
  ...filesBelow("docs"),
];

function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    return isDirectory ? filesBelow(`${folder}/${name}`) : [`${folder}/${name}`];
  }).toSorted();
}

const launcher = `#!/usr/bin/env node
// Starts climax on the executable of the deno package, with exactly these permissions.
"use strict";
const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const { dirname, join } = require("node:path");

const name = process.platform === "win32" ? "deno.exe" : "deno";
const linked = join(dirname(require.resolve("deno/package.json")), name);
// An install script puts the executable there, which npm may not have run
const deno = existsSync(linked) ? linked : require("deno/install_api.cjs").runInstall();
const flags = ${
  JSON.stringify(["--no-config", "--no-prompt", "--no-remote", "--no-npm", v8Flags, ...flags])
};
const args = ["run", ...flags, join(__dirname, "climax.mjs"), ...process.argv.slice(2)];
const child = spawn(deno, args, { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error("error: Deno could not be started: " + error.message);
  process.exitCode = 4;
});
child.on("exit", (code) => {
  process.exitCode = code === null ? 4 : code;
});
`;

const packageJson = {
  name: manifest.name,
  version: manifest.version,
  description,
  license: "MIT",
  ...(address === undefined ? {} : {
    // The MCP registry wants the name of server.json here, as proof that both have one owner
    mcpName: registryName(address),
    homepage: `${address}#readme`,
    repository: { type: "git", url: `git+${address}.git` },
    bugs: { url: `${address}/issues` },
  }),
  keywords: ["mcp", "cli", "agents", "model-context-protocol"],
  bin: { climax: "climax.cjs" },
  files: ["climax.cjs", "climax.mjs", ...pages],
  engines: { node: ">=18" },
  dependencies: { deno: denoVersion },
};

await Deno.remove(output, { recursive: true }).catch(() => {});
await Deno.mkdir(output, { recursive: true });
await Deno.writeTextFile(`${output}/package.json`, `${JSON.stringify(packageJson, null, 2)}\n`);
await Deno.writeTextFile(`${output}/climax.cjs`, launcher, { mode: 0o755 });
await Deno.copyFile(program, `${output}/climax.mjs`);
for (const page of pages) {
  await Deno.mkdir(dirname(`${output}/${page}`), { recursive: true });
  await Deno.copyFile(page, `${output}/${page}`);
}
// The registry shows this one page without the others
if (address !== undefined) {
  const readme = withAddresses(await Deno.readTextFile("README.md"), "README.md", address);
  await Deno.writeTextFile(`${output}/README.md`, readme);
}
