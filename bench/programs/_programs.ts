/** The clients that can be had from npm: how each lists its servers, is trusted, and talks to a model. */

import { join } from "node:path";
import type { Home } from "./_home.ts";

/** What a list of servers says of one: that it was started and works, or only that it is known. */
type Listed = "works" | "known" | "waits" | "absent";

/** A client. */
export interface Program {
  /** As `climax connect` calls it. */
  readonly name: string;
  /** The packages, at bounded versions. */
  readonly packages: readonly string[];
  readonly command: string;
  /** The words that list its servers. */
  readonly list: readonly string[];
  /** What a list says of the server `name`, and the most that it can say. */
  listed(text: string, name: string): Listed;
  readonly best: Listed;
  /** The words that add the server `name`, which starts `command`. */
  add(name: string, command: readonly string[]): readonly string[];
  /** What the client says of servers of a project that nobody has agreed to; none have no such question. */
  readonly untrusted?: Listed;
  /** Agrees to what the project starts, as a person does in a dialog. */
  trust(home: Home): Promise<void>;
  /** The ways to a model, by name. */
  readonly talks: Readonly<Record<string, Talk>>;
}

/** Prepares a conversation with the model at `url`: the words that begin it, and their variables. */
type Talk = (home: Home, url: string) => Promise<{
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}>;

/** By a line that has the name and says how it is. */
function byLine(line: (name: string) => RegExp, works: RegExp, waits = /\b\B/) {
  return (text: string, name: string): Listed => {
    const found = text.split("\n").find((each) => line(name).test(each));
    if (found === undefined) return "absent";
    return works.test(found) ? "works" : waits.test(found) ? "waits" : "known";
  };
}

const prompt = "Please go on with what there is to do";

const codexTalk = (model: string, more = {}): Talk => (_home, url) => {
  const provider = {
    ...more,
    // Or on a busy machine it begins before the server is there
    "mcp_servers.climax.required": true,
    "model_provider": "local",
    "model_providers.local.name": "local",
    "model_providers.local.base_url": `${url}/v1`,
    "model_providers.local.env_key": "LOCAL_KEY",
  };
  const settings = Object.entries(provider).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  const free = "--dangerously-bypass-approvals-and-sandbox";
  const argv = ["codex", "exec", ...settings, "--model", model, free, prompt];
  return Promise.resolve({ argv, env: { LOCAL_KEY: "none" } });
};

/** Every one of them. */
export const programs: readonly Program[] = [
  {
    name: "claude-code",
    packages: ["@anthropic-ai/claude-code@2"],
    command: "claude",
    list: ["mcp", "list"],
    listed: byLine((name) => new RegExp(`^${name}: `), /Connected/, /Pending approval/),
    best: "works",
    add: (name, command) => ["mcp", "add", "--scope", "user", name, "--", ...command],
    untrusted: "waits",
    trust: (home) => home.write(".claude/settings.json", `{"enableAllProjectMcpServers": true}\n`),
    talks: {
      direct: (_home, url) =>
        Promise.resolve({
          argv: ["claude", "--print", prompt, "--allowedTools", "mcp__climax"],
          env: {
            ANTHROPIC_BASE_URL: url,
            ANTHROPIC_API_KEY: "none",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
            // Or it begins before the server is there
            MCP_CONNECTION_NONBLOCKING: "0",
          },
        }),
    },
  },
  {
    name: "codex",
    packages: ["@openai/codex@0"],
    command: "codex",
    list: ["mcp", "list"],
    listed: byLine((name) => new RegExp(`^${name} `), /\b\B/),
    best: "known",
    add: (name, command) => ["mcp", "add", name, "--", ...command],
    untrusted: "absent",
    trust: async (home) => {
      const file = join(home.path, ".codex", "config.toml");
      const text = await Deno.readTextFile(file).catch(() => "");
      const trusted = `\n[projects."${home.project}"]\ntrust_level = "trusted"\n`;
      await home.write(".codex/config.toml", text + trusted);
    },
    talks: {
      // A model that it does not know is shown every tool, as those of a year ago were
      direct: codexTalk("none", { tool_output_token_limit: 10_000 }),
      // One that it knows writes programs that call tools
      programs: codexTalk("gpt-6-sol"),
    },
  },
  {
    name: "gemini",
    packages: ["@google/gemini-cli@0"],
    command: "gemini",
    list: ["mcp", "list"],
    listed: byLine((name) => new RegExp(`[✓○✗] ${name}: `), /Connected/, /Disabled/),
    best: "works",
    add: (name, [command, ...args]) => {
      return ["mcp", "add", "--scope", "user", name, command!, "--", ...args];
    },
    untrusted: "waits",
    trust: (home) => {
      return home.write(
        ".gemini/trustedFolders.json",
        `${JSON.stringify({ [home.project]: "TRUST_FOLDER" })}\n`,
      );
    },
    talks: {
      async direct(home, url) {
        const file = join(home.path, ".gemini", "settings.json");
        const settings = JSON.parse(await Deno.readTextFile(file));
        settings.security = { auth: { selectedType: "gemini-api-key" } };
        await Deno.writeTextFile(file, JSON.stringify(settings, null, 2));
        // Without somebody to ask it shows no tool that it would ask about
        const words = ["--approval-mode", "yolo", "--model", "gemini-2.5-pro"];
        return {
          argv: ["gemini", ...words, "--prompt", prompt],
          env: { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: url },
        };
      },
    },
  },
  {
    name: "opencode",
    packages: ["opencode-ai@1"],
    command: "opencode",
    list: ["mcp", "list"],
    listed: byLine((name) => new RegExp(`[✓✗○] ${name} (?:\x1b\\[\\d+m)?`), /connected/),
    best: "works",
    add: (name, command) => ["mcp", "add", name, "--", ...command],
    trust: () => Promise.resolve(),
    talks: {
      async direct(home, url) {
        const model = { name: "scripted", limit: { context: 200_000, output: 8000 } };
        const options = { baseURL: `${url}/v1`, apiKey: "none" };
        const npm = "@ai-sdk/openai-compatible";
        const provider = { local: { npm, name: "local", options, models: { scripted: model } } };
        const file = join(home.project, "opencode.json");
        // Its snapshots call git after each answer
        await Deno.writeTextFile(file, JSON.stringify({ provider, snapshot: false }));
        return {
          argv: ["opencode", "run", "--model", "local/scripted", prompt],
          // Its list of models is on a site of its own
          env: { OPENCODE_DISABLE_MODELS_FETCH: "1" },
        };
      },
    },
  },
  {
    name: "cline",
    packages: ["cline@3"],
    command: "cline",
    list: ["config", "mcp"],
    listed: byLine((name) => new RegExp(`^ *${name} \\[stdio\\]`), /\b\B/),
    best: "known",
    add: (name, command) => ["mcp", "add", name, "--yes", "--json", "--", ...command],
    trust: () => Promise.resolve(),
    talks: {
      async direct(home, url) {
        const given = [
          "-p",
          "openai-compatible",
          "-k",
          "none",
          "-m",
          "scripted",
          "-b",
          `${url}/v1`,
        ];
        const { code, text } = await home.run(["cline", "auth", ...given]);
        if (code !== 0) throw new Error(text);
        return { argv: ["cline", "--json", prompt] };
      },
    },
  },
];
