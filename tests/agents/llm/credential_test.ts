import assert from "node:assert/strict";
import {
  type CredentialResult,
  findCredential,
  keyVariables,
  redact,
} from "../../../src/agents/llm/credential.ts";
import { type LlmSettings, providerTypes } from "../../../src/agents/llm/settings.ts";
import { withVariables } from "../../_io.ts";
import { scratch, writeFiles } from "../../e2e/_scratch.ts";

/** Looks with these variables and files below a home directory, and nothing else of the machine. */
async function find(
  settings: LlmSettings,
  world: {
    readonly variables?: Record<string, string>;
    readonly files?: Record<string, string>;
    readonly answer?: string;
    readonly confirm?: (question: string) => Promise<boolean>;
  } = {},
): Promise<CredentialResult> {
  await using home = await scratch();
  await writeFiles(home.path, world.files ?? {});
  const variables: Record<string, string> = {
    HOME: home.path,
    USERPROFILE: home.path,
    ...world.variables,
  };
  return await findCredential(settings, {
    environment: (name) => variables[name],
    confirm: world.confirm,
    ...(world.answer === undefined ? {} : { ask: () => Promise.resolve(world.answer) }),
  });
}

function keyOf(result: CredentialResult): string | undefined {
  return result.ok && result.credential.kind === "key" ? result.credential.key.reveal() : undefined;
}

for (const type of providerTypes) {
  Deno.test(`findCredential() takes the key of ${type} from each of its variables`, async () => {
    for (const name of keyVariables(type)) {
      const settings = { type, credentialSource: "env-var" } as const;
      assert.equal(keyOf(await find(settings, { variables: { [name]: "sk-1" } })), "sk-1", name);
    }
  });
}

Deno.test("findCredential() prefers a variable of its own name", async () => {
  const variables = { OPENAI_API_KEY: "usual", TAMAMO_X_OPENAI_API_KEY: "own" };
  assert.equal(keyOf(await find({ type: "openai" }, { variables })), "own");
});

const keyFiles: readonly [
  type: "anthropic" | "openai" | "gemini",
  path: string,
  text: string,
  key: string,
][] = [
  ["anthropic", ".claude.json", `{"primaryApiKey": "sk-ant-1"}`, "sk-ant-1"],
  ["anthropic", ".claude/settings.json", `{"env":{"ANTHROPIC_API_KEY":"sk-ant-2"}}`, "sk-ant-2"],
  ["openai", ".codex/auth.json", `{"OPENAI_API_KEY": "sk-proj-1", "tokens": null}`, "sk-proj-1"],
  ["gemini", ".gemini/.env", `# mine\nexport GEMINI_API_KEY="AIza1"\n`, "AIza1"],
  ["gemini", ".gemini/.env", `GOOGLE_API_KEY=AIza2\r\n`, "AIza2"],
];

for (const [type, path, text, key] of keyFiles) {
  Deno.test(`findCredential() takes the key of ${type} from ~/${path}: ${key}`, async () => {
    const settings = { type, credentialSource: "cli-tool" } as const;
    assert.equal(keyOf(await find(settings, { files: { [path]: text } })), key);
    // And without being told where to look
    assert.equal(keyOf(await find({ type }, { files: { [path]: text } })), key);
  });
}

const sessions: readonly [type: "anthropic" | "openai" | "gemini", path: string, text: string][] = [
  ["anthropic", ".claude/.credentials.json", `{"claudeAiOauth":{"accessToken":"oat-secret"}}`],
  ["openai", ".codex/auth.json", `{"OPENAI_API_KEY":null,"tokens":{"access_token":"oat-secret"}}`],
  ["gemini", ".gemini/oauth_creds.json", `{"access_token":"oat-secret"}`],
];

for (const [type, path, text] of sessions) {
  Deno.test(`findCredential() does not use the session in ~/${path}, and says so`, async () => {
    const result = await find({ type }, { files: { [path]: text } });
    assert.equal(result.ok, false);
    const { message, hint } = (result as { problem: { message: string; hint: string } }).problem;
    assert.match(hint, /a subscription's session is not used/);
    assert.doesNotMatch(`${message} ${hint}`, /oat-secret/);
  });
}

Deno.test("findCredential() survives files that are not what they should be", async () => {
  for (const text of ["", "{", "null", "[]", `{"primaryApiKey": 5}`, `{"primaryApiKey": ""}`]) {
    const result = await find({ type: "anthropic" }, { files: { ".claude.json": text } });
    assert.equal(result.ok, false, text);
  }
});

Deno.test("findCredential() asks when told to, and only where it can", async () => {
  const settings = { type: "openrouter", credentialSource: "prompt" } as const;
  assert.equal(keyOf(await find(settings, { answer: " sk-or-1 " })), "sk-or-1");
  assert.equal((await find(settings, { answer: "" })).ok, false);
  assert.equal((await find(settings)).ok, false);
  // A variable that is set is not what was asked for
  const variables = { OPENROUTER_API_KEY: "sk-or-2" };
  assert.equal((await find(settings, { variables })).ok, false);
});

Deno.test("findCredential() takes both variables of AWS with the prefix, or both without", async () => {
  const settings = { type: "bedrock", credentialSource: "env-var" } as const;
  const plain = { AWS_ACCESS_KEY_ID: "plain", AWS_SECRET_ACCESS_KEY: "plain-secret" };
  const own = { TAMAMO_X_AWS_ACCESS_KEY_ID: "own", TAMAMO_X_AWS_SECRET_ACCESS_KEY: "own-secret" };
  for (
    const [variables, expected] of [
      [own, "own"],
      [{ ...own, ...plain }, "own"],
      [{ ...plain, TAMAMO_X_AWS_ACCESS_KEY_ID: "own" }, "plain"],
    ] as const
  ) {
    const environment = (name: string) => (variables as Record<string, string>)[name];
    const found = await findCredential(settings, { environment });
    assert.equal(found.ok && found.credential.kind, "aws");
    if (!found.ok || found.credential.kind !== "aws") continue;
    const keys = await found.credential.keys();
    assert.deepEqual(keys, { accessKeyId: expected, secretAccessKey: `${expected}-secret` });
  }
  const none = await findCredential(settings, { environment: () => undefined });
  assert.match(
    none.ok ? "" : none.problem.message,
    /TAMAMO_X_AWS_ACCESS_KEY_ID and TAMAMO_X_AWS_SECRET_ACCESS_KEY: not both set\n.*variables AWS_ACC/,
  );
});

Deno.test("findCredential() takes AWS's variables for bedrock, and masks the secret ones", async () => {
  const variables = {
    AWS_ACCESS_KEY_ID: "AKIA1",
    AWS_SECRET_ACCESS_KEY: "secret-access-key",
    AWS_SESSION_TOKEN: "session-token",
  };
  const result = await find({ type: "bedrock", model: "m" }, { variables });
  assert.equal(result.ok && result.credential.kind, "aws");
  if (!result.ok || result.credential.kind !== "aws") return;
  assert.equal((await result.credential.keys()).accessKeyId, "AKIA1");
  assert.equal(redact(result.credential, "a secret-access-key b session-token"), "a *** b ***");
});

Deno.test("findCredential() does without a key where a server of one's own is named", async () => {
  for (const endpointOverride of ["http://127.0.0.1:11434/v1", "http://vllm.lan:8000/v1"]) {
    const result = await find({ type: "openai", endpointOverride });
    assert.equal(result.ok && result.credential.kind, "none");
  }
});

Deno.test("findCredential() sends no key in clear to another machine", async () => {
  const variables = { OPENAI_API_KEY: "sk-1" };
  const settings = { type: "openai", endpointOverride: "http://10.0.0.5:8000/v1" } as const;
  const unasked = await find(settings, { variables });
  assert.equal(unasked.ok && unasked.credential.kind, "none");
  assert.equal((await find({ ...settings, credentialSource: "env-var" }, { variables })).ok, false);
  await using home = await scratch();
  using _ = withVariables({ HOME: home.path, XDG_CONFIG_HOME: home.path });
  const confirm = () => Promise.resolve(true);
  for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
    const local = { ...settings, endpointOverride: `http://${host}:8000/v1` };
    assert.equal(keyOf(await find(local, { variables, confirm })), "sk-1", host);
  }
});

const addresses:
  readonly (readonly [type: "openai" | "anthropic", address: string, own: boolean])[] = [
    ["openai", "https://api.openai.com/v2", true],
    ["openai", "https://api.anthropic.com/v1", false],
    ["openai", "https://api.openai.com:8443/v1", false],
    ["openai", "https://api.openai.com.evil.example/v1", false],
    ["openai", "https://api.openai.com@evil.example/v1", false],
    ["anthropic", "https://evil.example/v1", false],
  ];

for (const [type, endpointOverride, isOwn] of addresses) {
  Deno.test(`findCredential() asks once before a key of ${type} goes to ${endpointOverride}`, async () => {
    await using home = await scratch();
    using _ = withVariables({ HOME: home.path, XDG_CONFIG_HOME: home.path });
    const variables = { OPENAI_API_KEY: "sk-1", ANTHROPIC_API_KEY: "sk-1" };
    const settings = { type, endpointOverride } as const;
    const asked: string[] = [];
    const confirm = (answer: boolean) => (question: string) => {
      asked.push(question);
      return Promise.resolve(answer);
    };
    const without = await find(settings, { variables });
    assert.equal(keyOf(without), isOwn ? "sk-1" : undefined);
    assert.equal(without.ok && without.warning !== undefined, !isOwn);
    const named = await find({ ...settings, credentialSource: "env-var" }, { variables });
    assert.equal(named.ok, isOwn);
    assert.equal(
      keyOf(await find(settings, { variables, confirm: confirm(false) })) === "sk-1",
      isOwn,
    );
    assert.equal(keyOf(await find(settings, { variables, confirm: confirm(true) })), "sk-1");
    // Remembered, for this source and no other
    assert.equal(keyOf(await find(settings, { variables })), "sk-1");
    const other = { [`TAMAMO_X_${type.toUpperCase()}_API_KEY`]: "sk-2" };
    assert.equal(keyOf(await find(settings, { variables: other })), isOwn ? "sk-2" : undefined);
    const { host } = new URL(endpointOverride);
    assert.equal(asked.length, isOwn ? 0 : 2);
    for (const question of asked) {
      assert.ok(
        question.includes(`the variable ${type.toUpperCase()}_API_KEY to https://${host}?`),
      );
    }
  });
}

Deno.test("redact() masks a key as it is, in JSON and in a URL, and printing shows none", async () => {
  const key = 'sk-"1/2"-plus+more';
  const result = await find({ type: "openai" }, { variables: { OPENAI_API_KEY: key } });
  if (!result.ok) throw new Error("not found");
  const text = `${key} ${JSON.stringify({ key })} ?key=${encodeURIComponent(key)}`;
  assert.equal(redact(result.credential, text), '*** {"key":"***"} ?key=***');
  assert.equal(Deno.inspect(result).includes("sk-"), false);
  assert.equal(JSON.stringify(result).includes("sk-"), false);
});
