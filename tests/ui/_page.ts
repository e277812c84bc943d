/** The real program with its page, over tools made to do harm to whoever shows them. */

import { join } from "node:path";
import { climax } from "../e2e/_server.ts";

/** What a name or a text becomes a program with, on a page that takes it for HTML. */
export const markup = `<img src=x onerror="document.title='owned'"><script>owned()</script>`;

/** A name with no place to break. */
export const longName = "n".repeat(64);

const config = {
  name: "hostile",
  command: "",
  description: `A program ${markup}`,
  category: "tests",
  tools: [
    {
      name: "echo_text",
      command: "printf %s",
      description: `Prints a text ${markup} \u202e reversed\u{e0041}`,
      effect: "read",
      args: [{
        name: "text",
        description: `The text ${markup}`,
        positional: true,
        required: true,
        examples: [markup],
      }],
    },
    {
      name: "run_script",
      command: "sh -c",
      description: "Runs a script",
      effect: "read",
      args: [
        { name: "script", positional: true, required: true },
        { name: "level", type: "string", enum: ["<b>low</b>", "high"], flag: "--level" },
        { name: "items", type: "array", flag: "--item" },
        { name: "count", type: "integer", flag: "--count", default: 3 },
        { name: "quick", type: "boolean", flag: "--quick" },
        { name: "api_key", flag: "--key" },
      ],
    },
    {
      name: "remove_all",
      command: "printf removed",
      description: "Removes everything",
      effect: "destructive",
      args: [],
    },
    {
      name: longName,
      command: "true",
      description: `Prints ${"x".repeat(200)}`,
      effect: "read",
      args: [{ name: "y".repeat(64), description: "z".repeat(200), flag: "--y" }],
    },
    { name: "secret_tool", command: "true", description: "Nobody may", effect: "write", args: [] },
  ],
};

const policy = {
  default: "enabled",
  deny: ["secret_tool"],
  confirm: "destructive",
  tools: { run_script: { args: { count: { max: 10 } } } },
};

/** A running `climax ui`. */
export interface Page extends AsyncDisposable {
  /** The address as it was printed. */
  readonly url: string;
  readonly origin: string;
  readonly token: string;
  /** Path of the audit log; empty without one. */
  readonly audit: string;
  /** Tells the program to end, and gives its exit code. */
  end(): Promise<number>;
}

/** Starts the program in `dir`, with `more` words; without any, no browser is opened. */
export async function startPage(
  dir: string,
  more: readonly string[] = ["--no-browser"],
  env: Readonly<Record<string, string>> = {},
): Promise<Page> {
  const [file, rules, audit] = ["hostile.yaml", "policy.yaml", "calls.jsonl"]
    .map((name) => join(dir, name)) as [string, string, string];
  await Deno.writeTextFile(file, JSON.stringify(config));
  await Deno.writeTextFile(rules, JSON.stringify(policy));
  const variables = { CLIMAX_STATE_DIR: join(dir, "state"), ...env };
  return await startUi([file, "git", "--policy", rules, ...more], { audit, env: variables });
}

/** How {@linkcode startUi} starts the program. */
interface StartOptions {
  /** Path of the audit log. @default none */
  readonly audit?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Starts `climax ui` with these words; resolves when it has printed its address. */
export async function startUi(
  words: readonly string[],
  { audit = "", env = {}, cwd }: StartOptions,
): Promise<Page> {
  const [program, ...args] = climax("ui", ...words, ...(audit === "" ? [] : ["--audit", audit]));
  const child = new Deno.Command(program, {
    args,
    env,
    ...(cwd === undefined ? {} : { cwd }),
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let printed = "";
  while (!printed.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The program ended: ${printed}`);
    printed += value;
  }
  const url = printed.trim();
  const [, origin, token] = /^(http:\/\/127\.0\.0\.1:\d+)\/#token=([\w-]+)$/.exec(url) ?? [];
  if (origin === undefined || token === undefined) throw new Error(`Not an address: ${url}`);
  let ended: Promise<number> | undefined;
  const end = () =>
    ended ??= (async () => {
      child.kill("SIGTERM");
      const { code } = await child.status;
      await reader.cancel();
      return code;
    })();
  return { url, origin, token, audit, end, [Symbol.asyncDispose]: async () => void await end() };
}
