import assert from "node:assert/strict";
import { join } from "node:path";
import { fakeProvider } from "../../agents/llm/_providers.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { climax, ends } from "./_climax.ts";

const pets = `name: pets
command: echo
tools:
  - name: feed
    description: Give food
  - name: wash
    description: Make clean
`;

const words: Readonly<Record<string, string>> = { feed: "my kitten starves", wash: "so muddy" };

/** What a model that reads its prompt answers. */
function answerTo(body: string): string {
  const names = Object.keys(words).filter((name) => body.includes(`\\"name\\":\\"${name}\\"`));
  return JSON.stringify({ tools: names.map((name) => ({ name, examples: [words[name]] })) });
}

Deno.test("climax enrich writes requests, asks again for what changed, and eval says the gain", async () => {
  await using provider = fakeProvider("openai", ({ body }) => ({ text: answerTo(body) }));
  await using dir = await scratch();
  const write = (name: string, text: string) => Deno.writeTextFile(join(dir.path, name), text);
  await write("pets.yaml", pets);
  const { type, endpointOverride } = provider.settings;
  const llmProvider = { type, model: "m", credentialSource: "env-var", endpointOverride };
  const project = { version: "1.0.0", mcpServers: [], cliConfigs: ["./pets.yaml"], llmProvider };
  await write("tamamo-x.config.json", JSON.stringify(project));
  const env = { OPENAI_API_KEY: "sk-test-0123456789abcdef", HOME: join(dir.path, "home") };
  const run = (...args: string[]) => climax(args, { cwd: dir.path, env });
  const query = { query: "my kitten starves", want: [["feed"]] };
  await write("queries.jsonl", JSON.stringify(query));

  await ends(run("enrich", "./pets.yaml", "--dry-run"), {
    code: 0,
    stdout: /"name":"feed"/,
    stderr: /2 tools in 1 prompt: about \d+ tokens in and 160 out; nothing was asked/,
  });
  assert.equal(provider.asked.length, 0);

  await ends(run("enrich", "./pets.yaml"), {
    code: 3,
    stderr: /Not used, because you have not accepted it as it is: 'cliConfigs', 'llmProvider'\n/,
  });
  const shown = `Send the key from the variable OPENAI_API_KEY to ${
    new URL(endpointOverride!).origin
  }?`;
  const unasked = await ends(run("trust", "--all"), {
    code: 2,
    stdout: /"endpointOverride": "http/,
  });
  assert.equal(unasked.stdout.includes(shown), false);
  const trusted = await ends(run("trust", "--all", "--yes"), { code: 0 });
  assert.ok(trusted.stdout.includes(`${shown} yes\n`), trusted.stdout);
  assert.equal(provider.asked.length, 0);
  await ends(run("enrich", "./pets.yaml"), {
    code: 0,
    stderr: /2 tools written to climax.examples.yaml, openai\/m took 100 tokens/,
  });
  const text = await Deno.readTextFile(join(dir.path, "climax.examples.yaml"));
  assert.match(
    text,
    /\n {2}feed:\n {4}sha256: "[0-9a-f]{64}"\n {4}examples:\n {6}- my kitten starves\n/,
  );
  await ends(run("enrich", "./pets.yaml"), { stderr: /2 tools, all of them have their requests/ });
  assert.equal(provider.asked.length, 1);

  const found = await run("search", "./pets.yaml", "--json", "--", "my", "kitten", "starves");
  assert.equal(JSON.parse(found.stdout).results[0].tool_name, "feed");
  const eval_ = ["eval", "queries.jsonl", "--config", "./pets.yaml"];
  const measured = JSON.parse((await run(...eval_, "--json")).stdout);
  assert.deepEqual([measured["R@1"], measured.without_examples["R@1"]], [1, 0]);
  assert.match((await run(...eval_)).stdout, /^MEASURE +VALUE +WITHOUT EXAMPLES WRITTEN\n/);

  await write("pets.yaml", pets.replace("Make clean", "Make very clean"));
  await run("enrich", "./pets.yaml");
  assert.equal(provider.asked.length, 2);
  assert.equal(provider.asked[1]!.body.includes("Give food"), false);

  const own = await Deno.readTextFile(join(dir.path, "climax.examples.yaml"));
  // As a project of somebody else brings it, or as the person edits it
  for (const text of ["version: 1\ntools: []\n", "{}\n", own.replace("kitten", "tiger")]) {
    await write("climax.examples.yaml", text);
    await ends(run("search", "./pets.yaml", "--", "wash"), {
      code: 0,
      stdout: /clean/,
      stderr: /climax.examples.yaml is not used: climax enrich completes and accepts it/,
    });
  }
  await run("enrich", "./pets.yaml");
  const tiger = await run("search", "./pets.yaml", "--json", "--", "my", "tiger", "starves");
  assert.equal(JSON.parse(tiger.stdout).results[0].tool_name, "feed");
  await write("climax.examples.yaml", "version: 1\ntools: []\n");
  await ends(run("enrich", "./pets.yaml"), {
    stderr: /climax.examples.yaml:2:1: 'tools': expected a map, found a list/,
  });
});

Deno.test("climax enrich keeps what came before the model failed, and goes on from there", async () => {
  let isDown = true;
  await using provider = fakeProvider("openai", ({ body }, number) => {
    if (number > 0 && isDown) return { status: 401, message: "no more" };
    const names = [...body.matchAll(/\\"name\\":\\"(t\d+)\\"/g)].map(([, name]) => name!);
    const tools = names.map((name) => ({ name, examples: [`do ${name} please`] }));
    return { text: JSON.stringify({ tools }) };
  });
  const tools = Array.from({ length: 30 }, (_, at) => ({ name: `t${at}`, description: "x" }));
  const config = JSON.stringify({ name: "many", command: "echo", tools });
  const { type, endpointOverride } = provider.settings;
  const llmProvider = { type, model: "m", credentialSource: "env-var", endpointOverride };
  const project = { version: "1.0.0", mcpServers: [], cliConfigs: ["git"], llmProvider };
  await using dir = await scratch({ "many.yaml": config, "other.json": JSON.stringify(project) });
  const env = { OPENAI_API_KEY: "sk-test-0123456789abcdef" };
  const run = () =>
    climax(["enrich", "./many.yaml", "--project", "other.json"], { cwd: dir.path, env });
  await climax(["trust", "--all", "--yes", "--mcp", "other.json"], { cwd: dir.path, env });
  const failed = await ends(run(), {
    code: 1,
    stderr:
      /does not accept the credential[^]*20 tools written so far, [^]*run the same command again to continue/,
  });
  assert.equal(failed.stderr.includes("sk-test"), false);
  isDown = false;
  await ends(run(), { code: 0, stderr: /10 tools written/ });
});
