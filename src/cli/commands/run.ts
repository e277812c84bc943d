/** `climax run`: serves configs to an MCP client. */

import type { Command } from "@commander-js/extra-typings";
import { type ExitCode, UsageError } from "../../errors.ts";
import { setLogFormat, setLogLevel } from "../../log.ts";
import { commands, type Example, type Words } from "../commands.ts";
import { checkHttpFlags, httpFlagsOf, withHttpOptions } from "../http_options.ts";
import {
  auditOption,
  callsOf,
  classicOption,
  concurrencyOption,
  configsHelp,
  graceOption,
  keepAnsiOption,
  logFormatOption,
  logLevelOption,
  maxOutputOption,
  policyOption,
  strictOption,
} from "../options.ts";

/** The words of `climax run`. */
export function grammar(command: Command) {
  return withHttpOptions(
    command
      .description(
        "Serve configs to an MCP client over stdin and stdout, or HTTP; `run` may be left out",
      )
      .argument("<config...>", configsHelp)
      .addOption(classicOption())
      .addOption(policyOption())
      .addOption(strictOption())
      .addOption(auditOption())
      .addOption(concurrencyOption())
      .addOption(graceOption())
      .addOption(maxOutputOption())
      .addOption(keepAnsiOption())
      .addOption(logLevelOption())
      .addOption(logFormatOption()),
  );
}

export const examples: readonly Example[] = [
  ["git docker", "serve two bundled configs: climax_search and climax_call"],
  ["run ./my.yaml --classic", "serve a config of your own, every tool by its name"],
  ["git --policy read-only.yaml --audit calls.jsonl", "leave what a policy allows, record calls"],
  ["git --http 0.0.0.0:8080 --tokens tokens.txt", "serve over HTTP to whoever has a token"],
];

/** Serves until the client goes. */
export async function action(
  ...[configs, options]: Words<typeof grammar>
): Promise<ExitCode> {
  const { classic, policy, strict, audit, http, logLevel, logFormat } = options;
  setLogLevel(logLevel);
  setLogFormat(logFormat);
  checkHttpFlags(httpFlagsOf(options), policy);
  const misplaced = configs.find((config) => commands.has(config));
  if (misplaced !== undefined) {
    const hint = `A command comes first: climax ${misplaced} --help says what follows it`;
    throw new UsageError(`Unknown config '${misplaced}'`, hint);
  }
  const session = { configs, classic, policy, strict, audit, calls: callsOf(options) };
  if (http !== undefined) {
    const { serveConfigsOverHttp } = await import("../serve_http.ts");
    return await serveConfigsOverHttp({ ...session, ...httpFlagsOf(options), http });
  }
  const { serveConfigs } = await import("../serve_configs.ts");
  return await serveConfigs(session);
}
