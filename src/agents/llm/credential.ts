/** Finds the credential for the provider of a language model. */

import type { Problem } from "../../errors.ts";
import { awsChain, awsVariables, ownPrefix } from "./aws.ts";
import { type Credential, type CredentialSurroundings, type LookUp, Secret } from "./lookup.ts";
import {
  type CredentialSource,
  defaultEndpoints,
  type LlmSettings,
  type ProviderType,
} from "./settings.ts";
import { isReadableOnTheWay, maskSecrets } from "../../net/send_once.ts";
import { refuseKey } from "../../trust/keys.ts";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { systemPath } from "../../io.ts";
import { type Environment, homeVariable } from "../../files/expand.ts";
import { protect } from "../../process/protected_paths.ts";

export type CredentialResult =
  | { readonly ok: true; readonly credential: Credential; readonly warning?: Problem }
  | { readonly ok: false; readonly problem: Problem };

const variables: Readonly<Record<ProviderType, readonly string[]>> = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  gemini: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  vercel: ["AI_GATEWAY_API_KEY"],
  bedrock: ["AWS_BEARER_TOKEN_BEDROCK"],
  openrouter: ["OPENROUTER_API_KEY"],
};

export function keyVariables(type: ProviderType): readonly string[] {
  return [...variables[type].map((name) => `${ownPrefix}${name}`), ...variables[type]];
}

export async function findCredential(
  settings: LlmSettings,
  surroundings: CredentialSurroundings,
): Promise<CredentialResult> {
  const { endpointOverride, credentialSource } = settings;
  const withoutKey = (from: string) => ({ ok: true, credential: { kind: "none", from } }) as const;
  if (endpointOverride !== undefined && isReadableOnTheWay(new URL(endpointOverride))) {
    if (credentialSource === undefined) return withoutKey("no key, the server is asked in clear");
    const message =
      `A credential is not sent over plain HTTP: '${endpointOverride}' is another machine`;
    const hint = `Use https, or take out 'credentialSource: ${credentialSource}' if none is needed`;
    return { ok: false, problem: { message, hint } };
  }
  const looked: string[] = [];
  const sources = credentialSource ? [credentialSource] : ["env-var", "cli-tool"] as const;
  for (const source of sources) {
    const lookUp = await lookInto(source, settings, surroundings);
    if ("credential" in lookUp) {
      return await checkAddress(lookUp.credential, settings, surroundings);
    }
    looked.push(...lookUp.looked);
  }
  return endpointOverride !== undefined && credentialSource === undefined
    ? withoutKey("no key was found, none is sent")
    : { ok: false, problem: missingCredential(settings, looked) };
}

async function checkAddress(
  credential: Credential,
  { type, endpointOverride: endpoint, credentialSource }: LlmSettings,
  { confirm }: CredentialSurroundings,
): Promise<CredentialResult> {
  if (endpoint === undefined || credentialSource === "prompt") return { ok: true, credential };
  const use = { endpoint, source: credential.from, own: defaultEndpoints[type] };
  const warning = await refuseKey(use, confirm);
  if (warning === undefined) return { ok: true, credential };
  if (credentialSource !== undefined) return { ok: false, problem: warning };
  const from = "no key is sent to this address";
  return { ok: true, credential: { kind: "none", from }, warning };
}

export function redact(credential: Credential, text: string): string {
  switch (credential.kind) {
    case "key":
      return maskSecrets(text, [credential.key.reveal()]);
    case "aws":
      return maskSecrets(text, credential.secrets());
    case "none":
      return text;
  }
}

async function lookInto(
  source: CredentialSource,
  { type, endpointOverride }: LlmSettings,
  { environment, ask }: CredentialSurroundings,
): Promise<LookUp> {
  switch (source) {
    case "env-var": {
      const lookUp = variableKey(type, environment);
      if ("credential" in lookUp || type !== "bedrock") return lookUp;
      const pair = awsVariables(environment);
      return "credential" in pair ? pair : { looked: [...lookUp.looked, ...pair.looked] };
    }
    case "cli-tool":
      return type === "bedrock" ? await awsChain() : await storedKey(type, environment);
    case "prompt": {
      const to = endpointOverride ? `, to send to ${new URL(endpointOverride).origin}` : "";
      const key = await ask?.(`API key for ${type}${to} (not shown, not kept): `);
      return key?.trim() ? found(key, "the terminal") : { looked: ["asking: no answer"] };
    }
  }
}

function variableKey(type: ProviderType, environment: Environment): LookUp {
  const names = keyVariables(type);
  for (const name of names) {
    const key = environment(name);
    if (key?.trim()) return found(key, `the variable ${name}`);
  }
  return { looked: names.map((name) => `variable ${name}: not set`) };
}

function found(key: string, from: string): LookUp {
  return { credential: { kind: "key", key: new Secret(key.trim()), from } };
}

function missingCredential(
  { type, credentialSource }: LlmSettings,
  looked: readonly string[],
): Problem {
  const sought = credentialSource === undefined ? "" : ` by '${credentialSource}'`;
  return {
    message: `No credential for '${type}' was found${sought}. Looked at:\n` +
      looked.map((line) => `    ${line}`).join("\n"),
    hint: type === "bedrock"
      ? "Log in with the AWS CLI, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
      : `Set ${keyVariables(type)[0]} or ${variables[type][0]} to an API key of '${type}'; ` +
        "a subscription's session is not used",
  };
}

/** Files with more bytes are not searched for a key. Claude Code keeps its history in the file that has its key. */
const maxFileBytes = 32 * 1024 * 1024;

type KeyFile = readonly [path: string, keyIn: (text: string) => unknown];

function keyFiles(type: ProviderType, home: string, environment: Environment): KeyFile[] {
  switch (type) {
    case "anthropic": {
      const own = environment("CLAUDE_CONFIG_DIR");
      const settings = join(own || join(home, ".claude"), "settings.json");
      return [
        [join(own || home, ".claude.json"), (text) => JSON.parse(text).primaryApiKey],
        [settings, (text) => JSON.parse(text).env.ANTHROPIC_API_KEY],
      ];
    }
    case "openai": {
      const folder = environment("CODEX_HOME") || join(home, ".codex");
      return [[join(folder, "auth.json"), (text) => JSON.parse(text).OPENAI_API_KEY]];
    }
    case "gemini":
      return [[join(home, ".gemini", ".env"), (text) => {
        const { GEMINI_API_KEY, GOOGLE_API_KEY } = parseEnv(text);
        return GEMINI_API_KEY || GOOGLE_API_KEY;
      }]];
    default:
      return [];
  }
}

async function storedKey(type: ProviderType, environment: Environment): Promise<LookUp> {
  const home = environment(homeVariable);
  if (!home) return { looked: [`files of command-line tools: ${homeVariable} is not set`] };
  const files = keyFiles(type, home, environment);
  for (const [path, keyIn] of files) {
    const key = await readKey(path, keyIn).catch(() => undefined);
    if (typeof key === "string" && key.trim() !== "") return found(key, `the file ${path}`);
  }
  return { looked: files.map(([path]) => `file ${path}: no API key`) };
}

async function readKey(path: string, keyIn: KeyFile[1]): Promise<unknown> {
  const { size, isFile } = await Deno.stat(systemPath(path));
  if (!isFile || size > maxFileBytes) return undefined;
  return keyIn(await Deno.readTextFile(systemPath(protect(path, "hidden"))));
}
