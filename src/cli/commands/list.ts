/** `climax list`: the tools of configs, or the configs that come with the program. */

import { bundledConfigs } from "../../sources/command/bundled.ts";
import { ExitCode, UsageError } from "../../errors.ts";
import { openSession, type SessionOptions } from "../../session.ts";
import { print, table } from "../output.ts";

/** Settings of `climax list`. */
export interface ListCommandOptions extends SessionOptions {
  readonly json?: boolean;
}

/** Lists the tools of `configs`, or the bundled configs when there are none. */
export async function listCommand(options: ListCommandOptions): Promise<ExitCode> {
  const { configs, json = false } = options;
  if (configs.length === 0 && options.policy !== undefined) {
    throw new UsageError("--policy needs the configs it is about");
  }
  await print(configs.length > 0 ? await listTools(options) : await listBundled(json));
  return ExitCode.ok;
}

async function listTools(options: ListCommandOptions): Promise<string> {
  const { index } = await openSession(options);
  if (options.json) return JSON.stringify(index.search({ limit: Infinity }), null, 2);
  const rows = index.tools.map(({ name, owner, description }) => [name, owner.name, description]);
  return table(["TOOL", "CLI", "DESCRIPTION"], rows);
}

async function listBundled(json: boolean): Promise<string> {
  const configs = await Promise.all(
    bundledConfigs.keys().map(async (name) => {
      const { index } = await openSession({ configs: [name] });
      const [summary] = index.summary();
      return { ...summary!, name };
    }),
  );
  if (json) return JSON.stringify(configs, null, 2);
  const rows = configs.map(({ name, tool_count, category, description }) => {
    return [name, String(tool_count), category ?? "", description];
  });
  return table(["CONFIG", "TOOLS", "CATEGORY", "DESCRIPTION"], rows);
}
