import assert from "node:assert/strict";
import { join } from "node:path";
import { load } from "js-yaml";
import { programHelp } from "../../src/setup/help_source.ts";
import { generate, type Generated, type GenerateOptions } from "../../src/setup/generate.ts";
import { ClimaxError } from "../../src/errors.ts";
import { readCorpus } from "../../bench/generate/_corpus.ts";
import { capturedHelp } from "../../bench/generate/_corpus.ts";
import { scratch } from "../e2e/_scratch.ts";
import { type Farm, farm, withHelp, writeFarm } from "./_farm.ts";

const ignore = Deno.build.os === "windows";

/** What is written for `farm`, really asked. */
async function ofFarm(
  program: Farm,
  options: Partial<GenerateOptions> = {},
): Promise<Generated & { readonly asked: readonly string[] }> {
  await using dir = await scratch();
  const path = await writeFarm(dir.path, program);
  const asked: string[] = [];
  await using source = await programHelp({ path, onRun: (argv) => asked.push(argv.join(" ")) });
  const written = await generate(["farm"], { source, ...options });
  const log = await Deno.readTextFile(join(dir.path, "farm.log"));
  const ran = log.trim().split("\n").map((words) => `farm ${words}`);
  assert.deepEqual(ran.toSorted(), asked.toSorted(), "what was told is what was run");
  return { ...written, asked };
}

interface Written {
  readonly tools: readonly Record<string, unknown>[];
  readonly [key: string]: unknown;
}

function toolNamed(text: string, name: string): Record<string, unknown> {
  return (load(text) as Written).tools.find((tool) => tool["name"] === name)!;
}

Deno.test({
  name: "generate() writes a tool for each command, with nothing run but help",
  ignore,
  async fn() {
    const { text, asked, tools } = await ofFarm(farm);
    assert.deepEqual(asked.toSorted(), ["farm --help", "farm list --help", "farm sell --help"]);
    assert.equal(tools, 2);
    assert.deepEqual(toolNamed(text, "farm_list"), {
      name: "farm_list",
      description: "List the animals",
      command: "list",
      effect: "read",
      args: [
        { name: "kind", description: "only these", enum: ["cow", "hen"], flag: "--kind=" },
        {
          name: "limit",
          description: "at most so many; default is 20",
          type: "integer",
          flag: "--limit=",
        },
        {
          name: "tag",
          description: "only with these tags",
          type: "array",
          items: { type: "string" },
          flag: "--tag=",
        },
      ],
    });
    assert.match(text, /effect: read # guess: 'list'/);
    assert.match(text, /type: integer # guess/);
    assert.match(text, /# left out, waits for a person, or does not end: --watch/);
    assert.match(text, /# left out, may run what it is given: --hook/);
  },
});

Deno.test({
  name: "generate() asks only for what is included and not too deep",
  ignore,
  async fn() {
    const one = await ofFarm(farm, { include: ["li*"] });
    assert.deepEqual(one.asked, ["farm --help", "farm list --help"]);
    assert.equal(one.tools, 1);
    const other = await ofFarm(farm, { exclude: ["list"] });
    assert.deepEqual(other.asked, ["farm --help", "farm sell --help"]);
    const few = await ofFarm(farm, { maxCommands: 2 });
    assert.deepEqual(few.unasked, ["farm sell"]);
    await assert.rejects(ofFarm(farm, { depth: 0 }), /Nothing was written/);
  },
});

Deno.test({
  name: "generate() tells the commands before it asks for them",
  ignore,
  async fn() {
    const told: string[][] = [];
    await ofFarm(farm, { onPlan: (commands) => told.push(commands.map((each) => each.join(" "))) });
    assert.deepEqual(told, [["farm"], ["farm list", "farm sell"]]);
  },
});

Deno.test({
  name: "generate() says so when there is no help",
  ignore,
  async fn() {
    await using dir = await scratch();
    const path = await writeFarm(dir.path, { helps: {} });
    await using source = await programHelp({ path, onRun: () => {} });
    await assert.rejects(generate(["farm"], { source }), (error) => {
      assert.equal(error instanceof ClimaxError, true);
      const [problem] = (error as ClimaxError).problems;
      assert.equal(problem?.message, "'farm' prints no help");
      return true;
    });
  },
});

Deno.test({
  name: "generate() writes again what it wrote before",
  ignore,
  fn: async () => assert.equal((await ofFarm(farm)).text, (await ofFarm(farm)).text),
});

const grown = withHelp("sell", (text) => {
  return text.replace("  -f, --force", "  --market <market>  where to sell it\n  -f, --force");
});
const withNewCommand: Farm = {
  helps: {
    ...grown.helps,
    "": farm.helps[""]!.replace(
      "  help [",
      "  count                   Count the animals\n  help [",
    ),
    count: "Usage: farm count [options]\n\nCount the animals\n\nOptions:\n  --all  also hens\n" +
      "  -h, --help  display help for command\n",
  },
};

Deno.test({
  name: "generate() adds to a config what is new, and changes nothing else",
  ignore,
  async fn() {
    const { text: first } = await ofFarm(farm);
    const edited = first
      .replace("effect: write # guess: nothing says that it only reads", "effect: destructive")
      .replace("description: do not ask", 'description: "Never ask"  # by hand')
      .replace("name: farm_list", "name: animals");
    const existing = { file: "farm.yaml", text: edited };
    const same = await ofFarm(farm, { existing });
    assert.equal(same.text, edited);
    assert.deepEqual([same.added, same.gone], [[], []]);

    const { text, added, gone } = await ofFarm(withNewCommand, { existing });
    assert.deepEqual(added, ["farm_sell.market", "farm_count"]);
    assert.deepEqual(gone, []);
    const rest = text.split("\n").filter((line) => edited.split("\n").includes(line)).join("\n");
    const withoutRecord = (whole: string) => whole.slice(0, whole.indexOf("x-generated:")).trim();
    assert.ok(
      rest.startsWith(
        withoutRecord(edited).replace(/\n# What the program had[^]*/, "").slice(0, 200),
      ),
    );
    for (const line of withoutRecord(edited).split("\n")) assert.ok(text.includes(line), line);
    const sell = toolNamed(text, "farm_sell");
    assert.equal(sell["effect"], "destructive");
    assert.deepEqual((sell["args"] as { name: string }[]).map(({ name }) => name), [
      "animal",
      "price",
      "force",
      "market",
    ]);
    assert.deepEqual((load(text) as Written).tools.map((tool) => tool["name"]), [
      "animals",
      "farm_sell",
      "farm_count",
    ]);
    const again = await ofFarm(withNewCommand, { existing: { file: "farm.yaml", text } });
    assert.equal(again.text, text);
  },
});

Deno.test({
  name: "generate() leaves out of a config what was taken out of it",
  ignore,
  async fn() {
    const { text } = await ofFarm(farm);
    const start = text.indexOf("      - name: price");
    const without = text.slice(0, start) + text.slice(text.indexOf("      - name: force"));
    const updated = await ofFarm(grown, { existing: { file: "farm.yaml", text: without } });
    assert.deepEqual(updated.added, ["farm_sell.market"]);
    assert.equal(updated.text.includes("name: price"), false);
  },
});

Deno.test({
  name: "generate() says in a config what is gone from the program",
  ignore,
  async fn() {
    const { text } = await ofFarm(farm);
    const shrunk: Farm = {
      helps: {
        "": farm.helps[""]!.replace(/ {2}sell.*\n/, ""),
        list: farm.helps["list"]!.replace(/ {2}--kind.*\n/, ""),
      },
    };
    const updated = await ofFarm(shrunk, { existing: { file: "farm.yaml", text } });
    assert.deepEqual(updated.gone, ["farm_list.kind", "farm_sell"]);
    assert.match(updated.text, /# gone: the help has no --kind any more\n {6}- name: kind/);
    assert.match(updated.text, /# gone: the help has no sell any more\n {2}- name: farm_sell/);
    const again = await ofFarm(shrunk, { existing: { file: "farm.yaml", text: updated.text } });
    assert.equal(again.text, updated.text);
  },
});

Deno.test({
  name: "generate() updates nothing that it did not write",
  ignore,
  async fn() {
    const existing = { file: "my.yaml", text: "name: my\ncommand: my\ntools: []\n" };
    await assert.rejects(ofFarm(farm, { existing }), /Nothing was updated/);
  },
});

for (const program of ["gh", "git", "docker", "kubectl", "jq", "rg", "rsync", "psql"]) {
  Deno.test(`generate() writes a config that loads for ${program}`, async () => {
    const source = capturedHelp(await readCorpus(program));
    const { tools, text } = await generate([program], { source });
    assert.ok(tools > 0);
    assert.equal(text.includes("undefined"), false);
  });
}
