/** `climax trust`: shows what a project brings (tools of MCP servers, configs), and accepts it. */

import type { Review, ReviewedTool } from "../../sources/upstream/review.ts";
import type { ServerSpec } from "../../sources/upstream/spec.ts";
import type { LockFile } from "../../sources/upstream/lock.ts";
import type { UpstreamConfig } from "../../sources/upstream/config.ts";
import { ExitCode, FileError, messageOf, UsageError } from "../../errors.ts";
import { plural, thousands } from "../../text/plural.ts";
import { canAsk, choose, notAccepted } from "../ask.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { listOption, sharedOptions, withOptions } from "../options.ts";
import {
  type Cell,
  effectColours,
  label,
  printJson,
  printProblem,
  printTable,
  printText,
} from "../output.ts";
import { withLock } from "../../files/write_file.ts";
import { requireText } from "../../files/text_file.ts";
import { projectConfigs } from "../../sources/command/own_configs.ts";
import { confirmStart, refuseUnknownServers, serversFile } from "../project_file.ts";
import { accept, readAccepted } from "../../trust/accepted.ts";
import { trustConfigs, type TrustOptions, trustRest, type TrustResult } from "../trust_project.ts";
import { ownProperty } from "../../text/own_property.ts";
import { excerpt } from "../../text/excerpt.ts";
import { climax } from "../../process/own_command.ts";

export function define(command: Command) {
  return withOptions(
    command
      .description("Review what a project brings, and accept it: servers, keys of its file")
      .argument("[server...]", "names of servers")
      .option("--all", "every server, and all else that the file says")
      .addOption(listOption(
        "--project <config>",
        `a config in ${projectConfigs} of this folder, by name: it may then hide others (repeatable)`,
      ))
      .option("--details", "print whole definitions, not one line for each tool")
      .option("-y, --yes", "accept without asking")
      .addOption(sharedOptions().json.conflicts("project")),
    "mcp",
    "sandbox",
  );
}

export const examples: readonly Example[] = [
  ["trust --all", "look at all that the project brings"],
  ["trust github --details", "read the whole definitions of one"],
  ["trust github --yes", "accept what one server has changed"],
  ["trust --project git", `accept ${projectConfigs}/git.yaml, which hides the bundled one`],
];

export async function run(...[names, options]: CommandArguments<typeof define>) {
  const { all = false, yes = false, details = false, json = false, mcp, project } = options;
  if (project !== undefined) {
    if (names.length === 0 && !all && mcp === undefined) return await trustConfigs(project, yes);
    const hint = "Accept them one after the other";
    throw new UsageError("--project and servers exclude each other", hint);
  }
  if (names.length === 0 && !all) {
    const hint = `${climax()} trust SERVER, or ${climax()} trust --all`;
    throw new UsageError("No server is named", hint);
  }
  const files = mcp ?? [await serversFile()];
  const configs = await Promise.all(files.map(read));
  for (const { config: { file, servers } } of configs) {
    if (servers.length === 0 && !json) await printText(`${file} has no servers`);
  }
  const known = configs.flatMap(({ config }) => config.servers.map(({ name }) => name));
  refuseUnknownServers(names, known);
  const asking = { yes, details, json, isNamed: mcp !== undefined || !all };
  const results: TrustResult[] = [];
  for (const { config, lock } of configs) {
    const { file, servers } = config;
    const named = all ? servers : servers.filter(({ name }) => names.includes(name));
    const { sandboxServer } = await import("../../sources/upstream/load.ts");
    const chosen = options.sandbox ? named.map(sandboxServer) : named;
    results.push(...await trust({ file, servers: chosen, lock }, asking));
    if (all) results.push(...await trustRest(config, asking));
  }
  if (json) await printJson(results);
  if (results.every(({ accepted }) => accepted)) return ExitCode.ok;
  const isUnasked = !yes && !canAsk() && results.some(({ accepted, failure }) => {
    return !accepted && failure === undefined;
  });
  return isUnasked ? ExitCode.usage : ExitCode.failure;
}

async function read(file: string) {
  const { readUpstreamConfig } = await import("../../sources/upstream/config.ts");
  const { lockToReplace } = await import("../../sources/upstream/lock.ts");
  const text = await requireText(file, "No server was asked");
  const read = await readUpstreamConfig({ file, text });
  if (!read.ok) throw new FileError("No server was asked", ...read.problems);
  for (const each of read.config.rest.isUsed ? read.warnings : []) await printProblem(each);
  return { config: read.config, lock: await lockToReplace(file, "No server was asked") };
}

async function trust(
  { file, servers, lock }: Pick<UpstreamConfig, "file" | "servers"> & { readonly lock: LockFile },
  options: TrustOptions & { readonly isNamed: boolean },
): Promise<TrustResult[]> {
  const { lockEntry, isAcceptedServer, lockToReplace, serverThing, writeLock } = await import(
    "../../sources/upstream/lock.ts"
  );
  const { review } = await import("../../sources/upstream/review.ts");
  const { yes, json, isNamed } = options;
  const known = await readAccepted();
  const isKnown = servers.every((spec) => isAcceptedServer({ spec, lock }, known));
  const mayStart = yes || !canAsk() && (isNamed || isKnown) || await confirmStart(servers);
  if (!mayStart) {
    return servers.map(({ name: server }) => ({ server, file, accepted: false }));
  }
  const results: TrustResult[] = [];
  let accepted = lock;
  for (const [spec, asked] of await askAll(servers)) {
    const { name: server } = spec;
    if ("failure" in asked) {
      const { failure } = asked;
      if (!json) await printText(failure);
      results.push({ server, file, accepted: false, failure });
      continue;
    }
    const { warnings } = asked;
    const isMine = isAcceptedServer({ spec, lock }, known);
    const before = ownProperty(lock.servers, server);
    const isSeen = before !== undefined && known.has(serverThing(spec, before));
    const found = review(isSeen ? before : undefined, asked, spec);
    const isKnown = isMine && !found.isChanged;
    const agrees = isKnown || await agree(server, { review: found, warnings }, options);
    if (agrees && !isKnown) {
      await withLock(file, async () => {
        const now = await lockToReplace(file, "Nothing was accepted");
        const others = { ...accepted.servers, ...now.servers };
        accepted = { ...accepted, servers: { ...others, [server]: lockEntry(asked, spec) } };
        await writeLock(file, accepted);
      });
    }
    if (agrees) await accept(serverThing(spec, accepted.servers[server]!));
    const count = plural(found.tools.length, "tool");
    const outcome = isKnown ? `${count}, as accepted` : "accepted";
    const subject = `server '${server}'`;
    if (!json) await printText(agrees ? `${subject}: ${outcome}` : notAccepted(subject));
    results.push({ server, file, accepted: agrees, review: found, warnings });
  }
  return results;
}

/** Shows a server's tools and asks whether climax may serve them. */
async function agree(
  server: string,
  { review, warnings }: { readonly review: Review; readonly warnings: readonly string[] },
  { yes, details, json }: TrustOptions,
): Promise<boolean> {
  if (json) return yes;
  const count = plural(review.tools.filter(({ change }) => change !== "gone").length, "tool");
  await printText(`server '${server}': ${count}, not accepted yet`);
  await printReview(review, warnings, details);
  if (yes || !canAsk()) return yes;
  const question = `Serve these tools of '${server}'?`;
  const answer = await choose(question, details ? ["no", "yes"] : ["no", "yes", "details"]);
  if (answer !== "details") return answer === "yes";
  await printReview(review, warnings, true);
  return await choose(question, ["no", "yes"]) === "yes";
}

async function askAll(servers: readonly ServerSpec[]) {
  const { askServer } = await import("../../sources/upstream/ask_server.ts");
  return await Promise.all(servers.map(async (spec) => {
    try {
      return [spec, await askServer(spec)] as const;
    } catch (error) {
      return [spec, { failure: messageOf(error) }] as const;
    }
  }));
}

/** Before the question whether to accept a server's tools, a table shows at most this many of them. */
const maxRows = 20;

const maxChanges = 20;

const maxSummary = 100;

async function printReview(review: Review, warnings: readonly string[], details: boolean) {
  const changed = review.tools.filter(({ change }) => change !== "same");
  const rows = details ? changed : changed.slice(0, maxRows);
  if (review.transport !== undefined) {
    await printText(`its command or address is another one: ${review.transport}`);
  }
  if (review.summary !== "") {
    await printText(`its description: ${excerpt(review.summary, 2 * maxSummary)}`);
  }
  if (rows.length > 0) await printTools(rows);
  const left = changed.length - rows.length;
  if (left > 0) await printText(`and ${plural(left, "tool")} more`);
  const suspicions = [...review.suspicions, ...review.tools.flatMap((tool) => tool.suspicions)];
  for (const line of [...suspicions, ...warnings]) {
    await printText(`${label("warning", "stdout")} ${line}`);
  }
  if (details) await printDetails(review, changed);
  else await printShortChanges(changed.filter(({ change }) => change === "changed"));
}

async function printTools(tools: readonly ReviewedTool[]): Promise<void> {
  const hasSuspicions = tools.some(({ suspicions }) => suspicions.length > 0);
  const hasChanges = tools.some(({ change }) => change !== "new");
  const rows = tools.map((tool): Cell[] => {
    const { name, change, effect, summary, size, suspicions } = tool;
    const isSuspicious = suspicions.length > 0;
    return [
      ...(hasSuspicions ? [isSuspicious ? { text: "!", colour: "red" as const } : ""] : []),
      isSuspicious ? { text: name, colour: "red" } : name,
      ...(hasChanges ? [change] : []),
      effect === undefined ? "-" : { text: effect, colour: effectColours[effect] },
      change === "gone" ? "" : thousands(size),
      excerpt(summary, maxSummary),
    ];
  });
  const marks = hasSuspicions ? [" "] : [];
  const changes = hasChanges ? ["CHANGE"] : [];
  await printTable([...marks, "TOOL", ...changes, "EFFECT (CLAIMED)", "SIZE", "DESCRIPTION"], rows);
}

async function printDetails(review: Review, tools: readonly ReviewedTool[]): Promise<void> {
  if (review.details.length > 0) {
    await printText(["", "the server's description:", ...indentLines(review.details)]);
  }
  for (const { name, change, details } of tools.filter((tool) => tool.details.length > 0)) {
    await printText(["", `${change} tool ${name}:`, ...indentLines(details)]);
  }
}

async function printShortChanges(tools: readonly ReviewedTool[]): Promise<void> {
  const count = tools.reduce((sum, { details }) => sum + details.length, 0);
  for (const { name, details } of count > maxChanges ? [] : tools) {
    await printText([`changed tool ${name}:`, ...indentLines(details)]);
  }
  if (count > maxChanges) await printText(`the changes have ${plural(count, "line")}`);
}

function indentLines(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
