/** Starts or reaches MCP servers to check that they answer: upstream servers, and climax as clients start it. */

import { messageOf } from "../errors.ts";
import { servingCommand } from "../process/own_command.ts";
import { isBundled } from "../sources/command/sets.ts";
import { askServer } from "../sources/upstream/ask_server.ts";
import { readUpstreamConfig } from "../sources/upstream/config.ts";
import { UpstreamError } from "../sources/upstream/error.ts";
import { loginReport } from "../sources/upstream/login/login_report.ts";
import { loginCommand } from "../sources/upstream/login/needed.ts";
import { plural } from "../text/plural.ts";
import type { ClientPlace } from "./client_places.ts";
import { remedied, type Reporter } from "./doctor_row.ts";

/** Checks every server of the config at `file`. */
export async function examineServers(file: string, tell: Reporter): Promise<void> {
  const read = await readUpstreamConfig(file);
  if (!read.ok) {
    const said = remedied(file, read.problems, `climax validate --mcp ${file} says it again`);
    return await tell({ about: "server", subject: file, state: "problem", ...said });
  }
  await Promise.all(read.config.servers.map(async (spec) => {
    const about = { about: "server", subject: spec.name } as const;
    try {
      const listing = await askServer(spec);
      const count = plural(listing.definitions.length, "tool");
      const message = [count, ...await loginReport(spec)].join("; ");
      await tell({ ...about, state: "ok", message });
    } catch (error) {
      if (error instanceof UpstreamError && error.kind === "needs a login") {
        const remedy = `Log in: ${loginCommand(spec)}`;
        return await tell({ ...about, state: "problem", message: messageOf(error), remedy });
      }
      const remedy = `Look at its command or address in ${file}`;
      await tell({ ...about, state: "problem", message: messageOf(error), remedy });
    }
  }));
}

/** Milliseconds that a client's command may take. */
const startTimeoutMs = 30_000;

/** Checks the command by which a client starts climax. */
export async function examineClient(place: ClientPlace, tell: Reporter): Promise<void> {
  const { client, scope, path, command, problem } = place;
  const about = { about: "client", subject: `${client.name} (${scope})` } as const;
  if (problem !== undefined) {
    return await tell({ ...about, state: "problem", message: problem, remedy: "Fix the file" });
  }
  if (command === undefined || command.length === 0) {
    if (scope === "project") return;
    return await tell({ ...about, state: "note", message: "Does not start climax" });
  }
  const [program, ...args] = command as [string, ...string[]];
  const own = servingCommand();
  // The file of a project may come from anyone and could start anything, also by way of climax
  if (scope === "project" && !isHarmless(command, own)) {
    const message = `Not started, since ${path} belongs to the project: ${command.join(" ")}`;
    const remedy = "Read it, and start it yourself";
    return await tell({ ...about, state: "warning", message, remedy });
  }
  try {
    const transport = { kind: "stdio", command: program, args, env: {} } as const;
    const spec = { name: client.name, transport, timeoutMs: startTimeoutMs, file: path };
    const listing = await askServer(spec);
    const message = `Starts, and shows ${plural(listing.definitions.length, "tool")}`;
    await tell({ ...about, state: "ok", message });
  } catch (error) {
    const remedy = `climax connect ${client.name} CONFIG writes a command that works now`;
    const message = `What it starts does not work: ${messageOf(error)}`;
    await tell({ ...about, state: "problem", message, remedy });
  }
}

/** True when `command` is climax with bundled configs: other words may name files that name programs. */
function isHarmless(command: readonly string[], own: readonly string[]): boolean {
  if (!own.every((word, index) => command[index] === word)) return false;
  return command.slice(own.length).every((word) => {
    return word === "run" || word === "--classic" || isBundled(word);
  });
}
