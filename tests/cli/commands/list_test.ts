/** `climax list`: tables for people, JSON for scripts. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { bundledConfigs } from "../../../src/sources/command/bundled.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { unix } from "../../_requirements.ts";
import { fixture } from "../../e2e/_server.ts";
import { climax, ends } from "./_climax.ts";

const probe = fixture("probe.yaml");

/** The folder of own configs on Windows; elsewhere no test has any. */
const noOwnConfigs = { APPDATA: "none" };

/** Some of the bundled configs are not for Windows. */
const everyConfig = ["list", ...Deno.build.os === "windows" ? ["--all"] : []];

Deno.test("climax list without arguments lists the bundled configs", async () => {
  const { code, stdout, stderr } = await climax(everyConfig, { env: noOwnConfigs });
  assert.deepEqual([code, stderr], [0, ""]);
  const rows = stdout.trimEnd().split("\n").map((line) => line.trim().split(/ {2,}/));
  assert.deepEqual(rows[0], ["CONFIG", "TOOLS", "HERE", "CATEGORY", "DESCRIPTION"]);
  assert.deepEqual(rows.slice(1).map(([name]) => name).toSorted(), [...bundledConfigs.keys()]);
  for (const row of rows) assert.equal(row.length, 5, row.join());
});

Deno.test("climax list reads no large config of a project that was not named", async () => {
  const large = "name: jqx\ndescription: d\ncommand: x\ntools: [{ name: t }]\n" +
    "# ".repeat(200_000);
  await using dir = await scratch({ ".climax/jqx.yaml": large });
  const { stdout } = await climax(["list"], { cwd: dir.path, env: { HOME: dir.path } });
  assert.match(stdout, /^jqx .*broken/m);
});

Deno.test("climax list CONFIG lists its tools in columns, each with its arguments", async () => {
  const { stdout } = await ends(climax(["list", probe]), { code: 0 });
  const lines = stdout.trimEnd().split("\n");
  const rows = lines.filter((line) => !line.startsWith(" "));
  assert.equal(rows.length, 13);
  const column = rows[0]!.indexOf("DESCRIPTION");
  assert.equal(rows[1]!.indexOf("Print the arguments as JSON"), column);
  assert.ok(lines.every((line) => line === line.trimEnd()));
  assert.equal(
    lines[2],
    "    [text] [count: integer] [ratio: number] [dry_run] [format: json|text|csv] [level: integer = 3]",
  );
});

Deno.test("climax list CONFIG --policy says what the policy demands", async () => {
  await using dir = await scratch({
    "policy.yaml": "confirm: write\ntools:\n  probe_args:\n    concurrency: 2\n    args:\n" +
      "      text: { max_length: 3, secret: true, value: abc }\n      count: { min: 1, max: 9 }\n",
  });
  const file = join(dir.path, "policy.yaml");
  const { stdout } = await ends(climax(["list", probe, "--policy", file]), {
    stdout:
      /\n {4}policy: tools\.probe_args; asks a person; 2 at once; text is \*\*\*, up to 3 characters, secret; count from 1, to 9\n/,
  });
  assert.doesNotMatch(stdout, /\[text\]|abc/);
  const json = await climax(["list", probe, "--policy", file, "--json"]);
  const [tool] = JSON.parse(json.stdout);
  assert.deepEqual(tool.policy, {
    rule: "tools.probe_args",
    confirm: true,
    unknown_args: "ignore",
    concurrency: 2,
    args: {
      text: {
        required: false,
        value: "***",
        max_length: 3,
        allow_leading_dash: false,
        secret: true,
      },
      count: { required: false, min: 1, max: 9, allow_leading_dash: false, secret: false },
    },
  });
});

Deno.test("climax list leaves out configs for other systems, and --all does not", async () => {
  await using dir = await scratch();
  const folder = join(dir.path, ".climax");
  await Deno.mkdir(folder, { recursive: true });
  const other = Deno.build.os === "windows" ? "linux" : "windows";
  for (const [name, systems] of [["here", "linux, macos, windows"], ["elsewhere", other]]) {
    const yaml =
      `name: ${name}\ncommand: ${name}\nsystems: [${systems}]\ntools:\n  - name: ${name}_x\n`;
    await Deno.writeTextFile(join(folder, `${name}.yaml`), yaml);
  }
  // Its program is what `env` starts
  const interpreter = "argv: ['{it}']\n    args:\n      - { name: it, default: absent-python }\n";
  const yaml = `name: by_env\ncommand: env\ntools:\n  - name: by_env\n    ${interpreter}`;
  await Deno.writeTextFile(join(folder, "by_env.yaml"), yaml);
  const names = async (...args: string[]) => {
    const { stdout } = await climax(["list", "--json", ...args], { cwd: dir.path });
    const configs = JSON.parse(stdout) as { name: string; missing_programs: string[] }[];
    const byEnv = configs.find(({ name }) => name === "by_env");
    assert.deepEqual(byEnv?.missing_programs, ["absent-python"]);
    return configs.map(({ name }) => name);
  };
  const shown = await names();
  assert.deepEqual([shown.includes("here"), shown.includes("elsewhere")], [true, false]);
  assert.equal((await names("--all")).includes("elsewhere"), true);
});

unix.test("tools that a sandbox must hold are withheld without one, and climax list says so", async () => {
  const config =
    "name: own\ncommand: sh\ntools: [{name: run_own, command: -c, requires: sandbox}]\n";
  await using dir = await scratch({ "own.yaml": config });
  const cwd = dir.path;
  await ends(climax(["list", "own.yaml"], { cwd }), {
    stderr: /Nothing of 'own' is served: it runs .* code; serve it with --sandbox or --policy ask/,
  });
  const asking = climax(["list", "own.yaml", "--policy", "ask"], { cwd });
  await ends(asking, { stdout: /run_own/, stderr: "" });
  const help = climax(["help", "run_own", "--config", "own.yaml"], { cwd });
  await ends(help, { code: 2, stderr: /withheld/ });
});
