/** Reads API keys from files of Claude Code, Codex and Gemini CLI; subscriptions are not used. */

import { join } from "node:path";
import { systemPath } from "../../io.ts";
import { homeVariable } from "../../files/expand.ts";
import { type CredentialSurroundings, type LookUp, Secret } from "./lookup.ts";
import type { ProviderType } from "./settings.ts";
import { believe } from "../../process/believed_paths.ts";

/** Most bytes of a file; Claude Code stores its history beside its key. */
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

/** The API key in the file of the tool of the provider. */
export async function toolKey(
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
    const found = text === undefined ? undefined : key(text);
    if (found) {
      const from = `${path}, the file of ${tool.name}`;
      return { found: true, credential: { kind: "key", key: new Secret(found), from } };
    }
    looked.push(`${path} (${tool.name}): ${whatIsIn(text, isSession, tool.name)}`);
  }
  return { found: false, looked };
}

function whatIsIn(
  text: string | undefined,
  isSession: KeyFile["isSession"],
  tool: string,
): string {
  if (text === undefined) return "not there";
  return isSession?.(text)
    ? `a subscription's session, which belongs to ${tool} and is not used`
    : "no API key";
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    const { size, isFile } = await Deno.stat(systemPath(path));
    return isFile && size <= maxFileBytes
      ? await Deno.readTextFile(systemPath(believe(path, "hidden")))
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
