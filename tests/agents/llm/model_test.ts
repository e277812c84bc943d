import assert from "node:assert/strict";
import { generateText } from "ai";
import { awsRegion } from "../../../src/agents/llm/aws.ts";
import { type Credential, Secret } from "../../../src/agents/llm/lookup.ts";
import { modelFailure, openModel } from "../../../src/agents/llm/model.ts";
import { checkProvider, defaultModels, providerTypes } from "../../../src/agents/llm/settings.ts";
import { pathsToRefuse } from "../../../src/process/protected_paths.ts";
import { fakeProvider, formats } from "./_providers.ts";

const key: Credential = { kind: "key", key: new Secret("sk-planted-key"), from: "a test" };
const noVariables = () => undefined;

for (const type of providerTypes) {
  Deno.test(`openModel() reaches ${type} with its key and reads its text and usage`, async () => {
    await using provider = fakeProvider(type, () => ({ text: "Forty-two" }));
    const model = await openModel(provider.settings, key, noVariables);
    const { text, usage } = await generateText({ model, prompt: "What is it?" });
    assert.equal(text, "Forty-two");
    assert.deepEqual([usage.inputTokens, usage.outputTokens], [100, 10]);
    assert.equal(formats[type].keyOf(provider.asked[0]!.headers), "sk-planted-key");
    assert.match(provider.asked[0]!.body, /What is it\?/);
  });

  Deno.test(`modelFailure() tells what ${type} answers apart`, async () => {
    const texts: [status: number, text: string][] = [
      [401, "The provider of 'a/b' does not accept the credential (401)"],
      [429, "Model 'a/b' is asked too often (429)"],
      [400, "Model 'a/b' refused the request (400)"],
      [503, "The provider of 'a/b' failed (503)"],
    ];
    for (const [status, text] of texts) {
      await using provider = fakeProvider(type, () => ({ status, message: "Words of theirs" }));
      const model = await openModel(provider.settings, key, noVariables);
      const error = await generateText({ model, prompt: "?", maxRetries: 0 }).catch((e) => e);
      const failure = modelFailure(error, "a/b");
      assert.ok(failure.startsWith(`${text}: `) && failure.includes("Words of theirs"), failure);
    }
  });

  Deno.test(`openModel() stops waiting for ${type} within a slow answer`, async () => {
    const cancelled = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const aborting = new AbortController();
    await using provider = fakeProvider(type, () => {
      asked.resolve();
      return { stalls: true, cancelled: cancelled.resolve };
    });
    const model = await openModel(provider.settings, key, noVariables);
    const answer = generateText({ model, prompt: "?", abortSignal: aborting.signal });
    await asked.promise;
    aborting.abort();
    await assert.rejects(answer, { name: "AbortError" });
    await cancelled.promise;
  });
}

Deno.test("awsRegion() keeps no path from calls where no home is known", async () => {
  assert.equal(await awsRegion(noVariables), undefined);
  assert.equal(pathsToRefuse(false).includes(Deno.cwd()), false);
});

Deno.test("openModel() does not follow a redirect with the key", async () => {
  const seen: Headers[] = [];
  await using other = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    seen.push(request.headers);
    return Response.json({});
  });
  const location = `http://127.0.0.1:${other.addr.port}/`;
  await using provider = fakeProvider("anthropic", () => {
    return { status: 307, message: "elsewhere", headers: { location } };
  });
  const model = await openModel(provider.settings, key, noVariables);
  await assert.rejects(generateText({ model, prompt: "?", maxRetries: 0 }));
  assert.equal(seen.length, 0);
});

Deno.test("checkProvider() asks for a model where the provider has none of its own", () => {
  const without = providerTypes.filter((type) => checkProvider({ type }).length > 0);
  assert.deepEqual(without, ["vercel", "bedrock", "openrouter"]);
});

Deno.test("defaultModels stand in the lists of the installed packages", async () => {
  const packages = { anthropic: "anthropic", openai: "openai", gemini: "google" } as const;
  for (const [type, name] of Object.entries(packages)) {
    const file = new URL(import.meta.resolve(`@ai-sdk/${name}`));
    const model = defaultModels[type as keyof typeof packages]!;
    assert.equal((await Deno.readTextFile(file)).includes(`"${model}":`), true, model);
  }
});
