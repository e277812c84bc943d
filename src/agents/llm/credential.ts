/** Finds the credential of a provider. It is only kept in memory, and messages name only where it was found. */

import type { Problem } from "../../errors.ts";
import { awsCredential, ownPrefix } from "./aws.ts";
import { type Credential, type CredentialSurroundings, type LookUp, Secret } from "./lookup.ts";
import {
  type CredentialSource,
  defaultEndpoints,
  type LlmSettings,
  type ProviderType,
} from "./settings.ts";
import { isReadableOnTheWay } from "../../net/send_once.ts";
import { refuseKey } from "../../trust/keys.ts";
import { join } from "node:path";
import { systemPath } from "../../io.ts";
import { homeVariable } from "../../files/expand.ts";
import { protect } from "../../process/protected_paths.ts";

/** A credential, or a problem that names all places searched. */
export type CredentialResult =
  | { readonly ok: true; readonly credential: Credential; readonly warning?: Problem }
  | { readonly ok: false; readonly problem: Problem };

/** The environment variables for the key of each provider, by precedence. Each may also have the prefix `TAMAMO_X_`. */
const variables: Readonly<Record<ProviderType, readonly string[]>> = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  gemini: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  vercel: ["AI_GATEWAY_API_KEY"],
  bedrock: ["AWS_BEARER_TOKEN_BEDROCK"],
  openrouter: ["OPENROUTER_API_KEY"],
};

/** Returns the variables for the key of a provider, by precedence. */
export function keyVariables(type: ProviderType): readonly string[] {
  return [...variables[type].map((name) => `${ownPrefix}${name}`), ...variables[type]];
}

/** Finds a credential, which {@linkcode refuseKey} may refuse for the address; an `endpointOverride` may need none. */
export async function findCredential(
  settings: LlmSettings,
  surroundings: CredentialSurroundings,
): Promise<CredentialResult> {
  const { endpointOverride, credentialSource } = settings;
  const inClear = endpointOverride !== undefined && isReadableOnTheWay(new URL(endpointOverride));
  if (inClear && credentialSource === undefined) {
    return { ok: true, credential: { kind: "none", from: "no key, the server is asked in clear" } };
  }
  if (inClear) return { ok: false, problem: plainHttp(settings) };

  const looked: string[] = [];
  // Without a configured source, all sources are searched that ask no person
  const sources = credentialSource === undefined
    ? ["env-var", "cli-tool"] as const
    : [credentialSource];
  for (const source of sources) {
    const lookUp = await lookInto(source, settings, surroundings);
    if (lookUp.found) return await checkAddress(lookUp.credential, settings, surroundings);
    looked.push(...lookUp.looked);
  }
  if (endpointOverride !== undefined && credentialSource === undefined) {
    return { ok: true, credential: { kind: "none", from: "no key was found, none is sent" } };
  }
  return { ok: false, problem: missingCredential(settings, looked) };
}

async function checkAddress(
  credential: Credential,
  { type, endpointOverride: endpoint, credentialSource }: LlmSettings,
  { confirm }: CredentialSurroundings,
): Promise<CredentialResult> {
  const isNamed = endpoint === undefined || credentialSource === "prompt";
  const use = { endpoint: endpoint!, source: credential.from, own: defaultEndpoints[type] };
  const warning = isNamed ? undefined : await refuseKey(use, confirm);
  if (warning === undefined) return { ok: true, credential };
  if (credentialSource !== undefined) return { ok: false, problem: warning };
  return {
    ok: true,
    credential: { kind: "none", from: "no key is sent to this address" },
    warning,
  };
}

/** Replaces the secrets of `credential` in `text`. */
export function redact(credential: Credential, text: string): string {
  switch (credential.kind) {
    case "key":
      return credential.key.redact(text);
    case "aws":
      return credential.secrets().reduce((rest, secret) => secret.redact(rest), text);
    case "none":
      return text;
  }
}

async function lookInto(
  source: CredentialSource,
  { type, endpointOverride }: LlmSettings,
  surroundings: CredentialSurroundings,
): Promise<LookUp> {
  switch (source) {
    case "env-var": {
      const lookUp = variableKey(type, surroundings);
      if (lookUp.found || type !== "bedrock") return lookUp;
      const chain = await awsCredential("environment", surroundings);
      return chain.found ? chain : { found: false, looked: [...lookUp.looked, ...chain.looked] };
    }
    case "cli-tool":
      return type === "bedrock"
        ? await awsCredential("chain", surroundings)
        : await toolKey(type, surroundings);
    case "prompt":
      return await askForKey(type, endpointOverride, surroundings);
  }
}

function variableKey(type: ProviderType, { environment }: CredentialSurroundings): LookUp {
  const names = keyVariables(type);
  for (const name of names) {
    const key = environment(name)?.trim();
    if (key) return found(key, `the variable ${name}`);
  }
  return { found: false, looked: names.map((name) => `variable ${name}: not set`) };
}

function found(key: string, from: string): LookUp {
  return { found: true, credential: { kind: "key", key: new Secret(key), from } };
}

async function askForKey(
  type: ProviderType,
  endpoint: string | undefined,
  { ask }: CredentialSurroundings,
): Promise<LookUp> {
  if (ask === undefined) {
    return { found: false, looked: ["asking: there is no terminal to ask at"] };
  }
  const to = endpoint === undefined ? "" : `, to send to ${new URL(endpoint).origin}`;
  const key = (await ask(`API key for ${type}${to} (not shown, not kept): `))?.trim();
  if (!key) return { found: false, looked: ["asking: the answer was empty"] };
  return found(key, "the terminal");
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
      : `Set ${keyVariables(type)[0]} or ${variables[type][0]} to an API key of '${type}'`,
  };
}

function plainHttp({ endpointOverride, credentialSource }: LlmSettings): Problem {
  return {
    message: `A credential is not sent over plain HTTP: '${endpointOverride}' is another machine`,
    hint: `Use https, or take out 'credentialSource: ${credentialSource}' if the server needs none`,
  };
}

/** A file with a key has at most this many bytes: Claude Code keeps its history in the same file. */
const maxFileBytes = 32 * 1024 * 1024;

interface KeyFile {
  readonly path: string;
  readonly key: (text: string) => string | undefined;
  readonly isSession?: (text: string) => boolean;
}

interface Tool {
  readonly name: string;
  readonly files: (home: string, environment: (name: string) => string | undefined) => KeyFile[];
}

const tools: Readonly<Partial<Record<ProviderType, Tool>>> = {
  anthropic: {
    name: "Claude Code",
    files: (home, environment) => {
      const own = environment("CLAUDE_CONFIG_DIR");
      const folder = own || join(home, ".claude");
      return [
        { path: join(own || home, ".claude.json"), key: jsonText("primaryApiKey") },
        { path: join(folder, "settings.json"), key: jsonText("env", "ANTHROPIC_API_KEY") },
        {
          path: join(folder, ".credentials.json"),
          key: () => undefined,
          isSession: (text) => jsonText("claudeAiOauth", "accessToken")(text) !== undefined,
        },
      ];
    },
  },
  openai: {
    name: "Codex",
    files: (home, environment) => [{
      path: join(environment("CODEX_HOME") || join(home, ".codex"), "auth.json"),
      key: jsonText("OPENAI_API_KEY"),
      isSession: (text) => jsonText("tokens", "access_token")(text) !== undefined,
    }],
  },
  gemini: {
    name: "Gemini CLI",
    files: (home) => [
      {
        path: join(home, ".gemini", ".env"),
        key: (text) => dotEnv(text, "GEMINI_API_KEY") ?? dotEnv(text, "GOOGLE_API_KEY"),
      },
      {
        path: join(home, ".gemini", "oauth_creds.json"),
        key: () => undefined,
        isSession: (text) => jsonText("access_token")(text) !== undefined,
      },
    ],
  },
};

/** Finds the API key that the command-line tool of the provider has stored in its files. */
async function toolKey(
  type: ProviderType,
  { environment }: CredentialSurroundings,
): Promise<LookUp> {
  const tool = tools[type];
  if (tool === undefined) {
    return { found: false, looked: [`command-line tools: none is known to keep a key of ${type}`] };
  }
  const home = environment(homeVariable);
  if (!home) return { found: false, looked: [`files of ${tool.name}: ${homeVariable} is not set`] };

  const looked: string[] = [];
  for (const { path, key, isSession } of tool.files(home, environment)) {
    const text = await textOf(path);
    const own = text === undefined ? undefined : key(text);
    if (own) return found(own, `${path}, the file of ${tool.name}`);
    looked.push(`${path} (${tool.name}): ${whatIsIn(text, isSession, tool.name)}`);
  }
  return { found: false, looked };
}

function whatIsIn(text: string | undefined, isSession: KeyFile["isSession"], tool: string): string {
  if (text === undefined) return "not there";
  return isSession?.(text)
    ? `a subscription's session, which belongs to ${tool} and is not used`
    : "no API key";
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    const { size, isFile } = await Deno.stat(systemPath(path));
    return isFile && size <= maxFileBytes
      ? await Deno.readTextFile(systemPath(protect(path, "hidden")))
      : undefined;
  } catch {
    return undefined;
  }
}

function jsonText(...keys: readonly string[]): (text: string) => string | undefined {
  return (text) => {
    try {
      let value: unknown = JSON.parse(text);
      for (const key of keys) value = (value as Record<string, unknown> | null)?.[key];
      return typeof value === "string" && value !== "" ? value.trim() : undefined;
    } catch {
      return undefined;
    }
  };
}

function dotEnv(text: string, name: string): string | undefined {
  const line = new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=\\s*(.*?)\\s*$`, "m").exec(text)?.[1];
  return line?.replace(/^(["'])(.*)\1$/, "$2") || undefined;
}
