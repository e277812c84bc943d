/** `climax run`: serves configs to an MCP client. */

import type { Command } from "@commander-js/extra-typings";
import { UsageError } from "../../errors.ts";
import { setLogFormat } from "../../log.ts";
import { examplesHere, useProjectFile } from "../project_file.ts";
import type { CommandArguments, Example } from "../command.ts";
import { configsHelp, requireSource, withDefaultConfigs } from "../config_words.ts";
import { checkHttpFlags, httpFlagsOf, withHttpOptions } from "../http_options.ts";
import { callsOf, withOptions } from "../options.ts";
import { climax } from "../../process/own_command.ts";

export function define(command: Command) {
  const started = command
    .description(
      "Serve configs to an MCP client over stdin and stdout, or HTTP; `run` may be left out",
    )
    .argument("[config...]", configsHelp)
    .optionsGroup("What to serve:")
    .option("--groups", `only tools that ${climax()} build has grouped, each group a category`)
    .option("--no-watch", "do not reload configs and policy when their files change");
  const served = withOptions(started, "config", "mcp", "scripts", "classic", "results")
    .optionsGroup("What is allowed:");
  const allowed = withOptions(served, "policy", "strict", "sandbox", "audit")
    .optionsGroup("Calls and results:");
  const called = withOptions(
    allowed,
    ...["concurrency", "backgroundAfter", "killTimeout", "maxOutput", "maxResultTokens"] as const,
  ).optionsGroup("Logging:");
  return withHttpOptions(withOptions(called, "logLevel", "logFormat"));
}

export const examples: readonly Example[] = [
  ["git docker", "serve two bundled configs: climax_search and climax_call"],
  ["run ./my.yaml --classic", "serve a config of your own, every tool by its name"],
  ["git --mcp climax.json", "serve the tools of MCP servers beside those of git"],
  ["run --mcp climax.json --groups", "serve what was grouped, each group a category"],
  ["run --sandbox git cargo npm", "run programs in a sandbox (Linux, bubblewrap)"],
  ["git --policy read-only.yaml --audit calls.jsonl", "apply a policy, and record calls"],
  ["git --http 0.0.0.0:8080 --tokens tokens.txt", "serve over HTTP to clients that have a token"],
];

export async function run(...[named, options, , { commands }]: CommandArguments<typeof define>) {
  const { classic, groups, policy, strict, audit, http, logFormat, config, results } = options;
  const isNamed = withDefaultConfigs(named, config).length > 0 || options.profiles !== undefined;
  const { mcp = isNamed ? undefined : await useProjectFile() } = options;
  setLogFormat(logFormat);
  checkHttpFlags(httpFlagsOf(options), policy);
  const asked = requireSource(options.profiles === undefined ? mcp : mcp ?? [], named, config);
  const misplaced = asked.find((config) => commands.has(config));
  if (misplaced !== undefined) {
    const hint = `A command comes first: ${climax()} ${misplaced} --help says what follows it`;
    throw new UsageError(`Unknown config '${misplaced}'`, hint);
  }
  const { groupsBeside } = await import("../../sources/project_settings.ts");
  const served = { classic, groups: groups && groupsBeside(mcp?.[0]) };
  const { sandbox, scripts, watch } = options;
  const session = {
    configs: asked,
    moreConfigs: groups && mcp !== undefined
      ? (await import("../project.ts")).cliConfigsOf(mcp[0]!)
      : undefined,
    ...{ mcp, policy, sandbox, scripts, strict, audit, results, watch },
    calls: callsOf(options),
    examples: await examplesHere(),
  };
  if (http !== undefined) {
    const { serveConfigsOverHttp } = await import("../serve_http.ts");
    return await serveConfigsOverHttp(session, { ...served, ...httpFlagsOf(options), http });
  }
  const { serveConfigs } = await import("../serve.ts");
  return await serveConfigs(session, served);
}
