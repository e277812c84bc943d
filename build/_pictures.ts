/**
 * The pictures of the README: real commands, run in a repository made for them, drawn as a terminal; and the
 * steps of an agent with a real client, which move. The repository has fixed names and dates, so its commit ids are the same
 * everywhere. Both show the text that an agent gets.
 */

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { movingPicture, type ShownCommand, terminalPicture, themes } from "./_terminal_picture.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

const policy = `tools:
  git_push:
    args:
      refspec: { required: true, pattern: "feature/.*" }
`;

/** The commands of the picture; beside each its arguments, or what it prints. */
const commands: readonly (readonly [line: string, args: readonly string[] | string])[] = [
  [
    'climax search --limit 2 git -- "publish commits to a remote"',
    ["search", "--limit", "2", "git", "--", "publish commits to a remote"],
  ],
  ["climax call git_log max_count=2 oneline=true", [
    "call",
    "git_log",
    "max_count=2",
    "oneline=true",
  ]],
  ["cat policy.yaml", policy],
  [
    "climax call git_push refspec=main --policy policy.yaml",
    ["call", "git_push", "refspec=main", "--policy", "policy.yaml"],
  ],
];

/** Runs the commands and returns each picture by the name of its file. */
export async function pictures(): Promise<ReadonlyMap<string, string>> {
  const folder = await Deno.makeTempDir({ prefix: "climax-pictures-" });
  try {
    await makeRepository(folder);
    await Deno.writeTextFile(join(folder, "policy.yaml"), policy);
    const shown: ShownCommand[] = [];
    for (const [line, args] of commands) {
      const output = typeof args === "string" ? args : await run(Deno.execPath(), [
        ...["run", "-qP", "--unstable-lazy-dynamic-imports", main, ...args],
      ], folder);
      shown.push({ line, output: output.trimEnd() });
    }
    await Deno.remove(join(folder, "policy.yaml"));
    await Deno.writeTextFile(join(folder, "notes.md"), "One\nTwo\n");
    await run("git", ["add", "notes.md"], folder);
    const steps = ["You: commit what I staged", ...await agentSteps(folder)];
    return new Map(
      Object.entries(themes).flatMap(([name, theme]) => [
        [`first-use-${name}.svg`, terminalPicture(shown, theme)],
        [`asked-${name}.svg`, movingPicture(steps, theme)],
      ]),
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The calls of an agent that is asked to commit what is staged. */
const calls = [
  ["climax_search", { query: "commit what is staged", limit: 2 }],
  ["climax_call", { tool_name: "git_diff", args: { staged: true, stat: true } }],
  ["climax_call", { tool_name: "git_commit", args: { message: "Add notes" } }],
] as const;

async function agentSteps(folder: string): Promise<string[]> {
  const client = new Client(
    { name: "agent", version: "1" },
    { capabilities: { elicitation: { form: {} } } },
  );
  const lines: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    const question = params.message.replaceAll(folder, "/home/ada/project");
    lines.push(...question.split("\n").map((line) => `  ? ${line}`), "  > yes");
    const [name] = Object.keys(
      (params as { requestedSchema: { properties: object } }).requestedSchema.properties,
    );
    return { action: "accept", content: { [name!]: true } };
  });
  await client.connect(
    new StdioClientTransport({
      command: Deno.execPath(),
      args: [
        ...["run", "-qP", "--unstable-lazy-dynamic-imports", main],
        ...["git", "--policy", "ask", "--results", "compact"],
      ],
      env: await environmentIn(folder),
      cwd: folder,
      stderr: "ignore",
    }),
  );
  try {
    for (const [name, args] of calls) {
      lines.push(`${name} ${JSON.stringify(args)}`);
      const { content } = await client.callTool({ name, arguments: args });
      const text = content.map((part) => part.type === "text" ? part.text : "").join("\n");
      lines.push(...text.trimEnd().split("\n").map((line) => `  ${short(line)}`));
    }
  } finally {
    await client.close();
  }
  return lines;
}

function short(line: string): string {
  return line.length <= 90 ? line : `${line.slice(0, 89)}…`;
}

/** Makes a repository of three commits. */
async function makeRepository(folder: string): Promise<void> {
  await run("git", ["init", "--quiet", "--initial-branch=main"], folder);
  for (const message of ["Start", "Read the port from the environment", "Log each request once"]) {
    await run("git", ["commit", "--quiet", "--allow-empty", `--message=${message}`], folder);
  }
}

/** Runs a program with a home and a git of its own, and returns its stdout. */
async function run(program: string, args: readonly string[], folder: string): Promise<string> {
  const { stdout } = await new Deno.Command(program, {
    args: [...args],
    cwd: folder,
    clearEnv: true,
    env: await environmentIn(folder),
    stdin: "null",
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

async function environmentIn(folder: string): Promise<Record<string, string>> {
  const kept = ["PATH", "SYSTEMROOT", "TEMP", "DENO_DIR", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];
  const env = Object.fromEntries(kept.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
  return {
    ...env,
    DENO_DIR: env.DENO_DIR ?? await denoFolder(),
    HOME: folder,
    CLIMAX_LAUNCHER: "climax",
    NO_COLOR: "1",
    TZ: "UTC",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_AUTHOR_DATE: "2026-01-02T12:00:00Z",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
    GIT_COMMITTER_DATE: "2026-01-02T12:00:00Z",
  };
}

/** Returns the folder of this Deno's packages: with another home it would download them again. */
async function denoFolder(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
