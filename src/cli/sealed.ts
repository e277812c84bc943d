/** The command line of a sealed server: no argument or variable can widen what it may do. */

import { buildForm, type SealedContents } from "../process/build_info.ts";
import { ExitCode, UsageError } from "../errors.ts";
import { loadTools } from "../session/load.ts";
import { version } from "../process/version.ts";
import type { NamedText } from "../text/named_text.ts";
import { print, printJson } from "./output.ts";

const help = `A sealed climax server, for an MCP client that speaks over stdin and stdout

Options:
  --describe     print what is inside: tools, policy, permissions, hashes
  -V, --version  print the version
  -h, --help     print help`;

const options: ReadonlySet<string> = new Set(["--describe", "--version", "-V", "--help", "-h"]);

/** Runs a sealed server with `args`. @throws {UsageError} for unknown ones */
export async function runSealed(
  contents: SealedContents,
  args: readonly string[],
): Promise<ExitCode> {
  const [word, other] = args;
  if (other !== undefined) throw refusal(options.has(word!) ? other : word!);
  switch (word) {
    case undefined: {
      const { serveConfigs } = await import("./serve_configs.ts");
      return await serveConfigs(contents, contents);
    }
    case "--describe":
      await printJson(await describe(contents));
      return ExitCode.ok;
    case "--version":
    case "-V":
      await print(version);
      return ExitCode.ok;
    case "--help":
    case "-h":
      await print(help);
      return ExitCode.ok;
    default:
      throw refusal(word);
  }
}

function refusal(word: string): UsageError {
  return new UsageError(`A sealed server takes no '${word}'`, "It serves, or prints --describe");
}

async function describe(contents: SealedContents): Promise<object> {
  const { configs, policy, keptScripts, sandbox = false, classic, permissions, audit } = contents;
  const { tools } = await loadTools(contents);
  return {
    version,
    built: buildForm(),
    mode: classic ? "classic" : "discovery",
    tools: tools.map(({ name }) => name),
    sandbox,
    permissions,
    audit: audit ?? null,
    configs: await Promise.all(configs.map(describeFile)),
    scripts: await Promise.all(keptScripts.texts.map(describeFile)),
    policy: policy === undefined ? null : { ...await describeFile(policy), text: policy.text },
  };
}

async function describeFile({ file, text }: NamedText): Promise<object> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return { file, sha256: new Uint8Array(hash).toHex() };
}
