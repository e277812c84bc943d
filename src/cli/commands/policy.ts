/** `climax policy explain` and `climax policy init`: which rule decides, and a policy to start from. */

import type { Command } from "@commander-js/extra-typings";
import { reasonToConfirm } from "../../call/confirm.ts";
import { prepareCall } from "../../call/prepare.ts";
import { refusalText } from "../../call/refusal.ts";
import { ExitCode, formatPlace, loadError, UsageError } from "../../errors.ts";
import type { PolicyExplanation } from "../../policy/load.ts";
import { applyPolicyFile, noPolicy } from "../../policy/policy_file.ts";
import { requireVariable } from "../../process/environment.ts";
import { runTool } from "../../sources/scripts/script_tools.ts";
import { builtinTools } from "../../sources/builtin/tools.ts";
import { nearHint } from "../../text/similar_names.ts";
import { type Arg, isBuiltin, type Tool } from "../../tool/tool.ts";
import { optionsToPairs, readArguments } from "../call_arguments.ts";
import { command } from "../command.ts";
import {
  callIn,
  type ChosenConfigs,
  configsHelp,
  requireSource,
  sessionOf,
} from "../config_words.ts";
import { longOptions, withOptions } from "../options.ts";
import { print, printJson, printText } from "../output.ts";
import { configNotLoaded } from "../tool_lookup.ts";
import { demandWords, usageOf } from "../tool_words.ts";
import { createFile, requireWrite } from "../../files/write_file.ts";
import { visible } from "../../text/escape.ts";
import { climax } from "../../process/own_command.ts";

function defineExplain(command: Command) {
  return withOptions(
    command
      .description(
        "Show which rule of a policy decides about a tool, or about one call of it, and why",
      )
      .argument("<tool>", "name of the tool; configs may come before it, separated by --")
      .argument(
        "[arguments...]",
        "name=value or --name value of a call, or @FILE with a JSON object",
      )
      .allowUnknownOption()
      .option("--args <json>", "the arguments as a JSON object, or @FILE"),
    ...["policy", "config", "mcp", "strict", "json"] as const,
  );
}

const allowed = { isServed: true, rule: noPolicy } as const;

export const policyExplain = command({
  define: defineExplain,
  examples: [
    ["policy explain git_push --policy policy.yaml", "show whether and why a tool is served"],
    ["policy explain ./my.yaml --policy policy.yaml -- my_tool", "of a config of your own"],
    ["policy explain git_log max_count=500 --policy policy.yaml", "show what decides about a call"],
  ],
  async run(first, rest, options, behind) {
    const { policy, mcp, json = false } = options;
    const { configs: named, tool: name, given: words } = callIn([first, ...rest], behind);
    // The tool script_run is in no config: it exists only with scripts, so they are turned on to explain it
    const chosen = { ...await sessionOf(options, named), scripts: name === runTool };
    const isCall = words.length > 0 || options.args !== undefined;
    const [{ loadTools }, { openSession }] = await Promise.all([
      import("../../session/load.ts"),
      import("../../session/session.ts"),
    ]);
    const { explainDecisions, readPolicy } = await import("../../policy/load.ts");
    const { ToolTable } = await import("../../catalog/tool_table.ts");
    const document = policy === undefined ? undefined : await readPolicy(policy);
    if (document?.ok === false) throw loadError(document.problems);
    const askServers = mcp !== undefined;
    const all = await loadTools({ ...chosen, policy: undefined, askServers, thorough: true });
    await all.close();
    if (all.problems.length > 0) throw loadError(all.problems);
    const tools = [...all.tools, ...builtinTools(all.tools)];
    const features = all.featuresOf(() => new ToolTable([...all.tools, ...all.features]));
    const general = (await features?.find(name, undefined))?.tool ?? find(tools, name) ??
      await refuseUnknown(tools, [name, ...words], chosen.configs);
    const pairs = optionsToPairs(words, general, longOptions(defineExplain));
    const args = isCall ? await readArguments(pairs, options.args) : undefined;
    const tool = (await features?.find(name, args))?.tool ?? general;
    if (isCall && isBuiltin(tool)) {
      throw new UsageError(
        `A call of '${name}' cannot be decided before there is something for it to do`,
        "Leave out its arguments to see the rule that decides about the tool",
      );
    }
    const [explanation] = document ? await explainDecisions(document, tools, [tool]) : [];
    await using session = await openSession(chosen);
    const served = isBuiltin(tool)
      ? (await applyPolicyFile({ ...all, tools }, { policy }, requireVariable)).tools
        .find((each) => each.name === tool.name)
      : session.index.get(tool.name) ?? (await session.features?.find(tool.name, args))?.tool;
    const call = isCall && served !== undefined
      ? await prepareCall(session, { tool: name, args, refusesUnknown: true })
      : undefined;
    const { decision = allowed, place = null } = explanation ?? {};
    const source = place === null
      ? `: --policy names one, and ${climax()} connect writes ask`
      : ` (${formatPlace(place)})`;
    const where = decision.rule + source;
    const withheld = served === undefined ? await session.explainWithheld?.(tool.name) : undefined;
    const reason = decision.isServed ? withheld : decision.reason;
    const outcome = call?.ok
      ? { call: "allowed", ...call.plan.preview.record }
      : call && { call: "refused", call_rule: call.rule, refusal: refusalText(call) };
    const asking: Asking = served?.needsConsent
      ? {
        confirm: served.needsConsent,
        confirm_place: explanation?.confirm ?? null,
        confirm_reason: await reasonToConfirm({ tool: served, plan: {} }),
      }
      : { confirm: false };
    if (json) {
      const known = { tool: tool.name, served: served !== undefined, rule: decision.rule, reason };
      await printJson({ ...known, effect: tool.effect ?? null, place, ...asking, ...outcome });
    } else {
      const because = reason === undefined ? [] : `  because ${reason}`.split("\n");
      const [state, lines] = served ? ["served", demands(served, asking)] : ["not served", because];
      const head = [`${tool.name}: ${state}`, `  by ${where}`];
      await printText([...head, ...lines, ...await callLines(call)]);
    }
    const isAllowed = call === undefined ? served !== undefined : call.ok;
    return isAllowed ? ExitCode.ok : ExitCode.failure;
  },
});

function find(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find((each) => each.name === name) ??
    tools.find(({ aliases = [] }) => aliases.includes(name));
}

async function refuseUnknown(
  tools: readonly Tool[],
  [name, ...words]: readonly [string, ...string[]],
  configs: ChosenConfigs["configs"],
): Promise<never> {
  const names = tools.map((each) => each.name);
  const hint = nearHint(name, names) ?? nearHint([name, ...words].join("_"), names) ??
    await configNotLoaded(name, configs) ?? `${climax()} list CONFIG names them`;
  throw new UsageError(`No config has a tool '${name}'`, hint);
}

interface Asking {
  readonly confirm: Tool["needsConsent"];
  readonly confirm_place?: PolicyExplanation["confirm"] | null;
  readonly confirm_reason?: string | undefined;
}

function demands(tool: Tool, asking: Asking): string[] {
  const { confirm, confirm_place: place, confirm_reason: reason } = asking;
  const [, ...rest] = demandWords({ ...tool, needsConsent: false })?.split("; ") ?? [];
  const which = confirm === "outside" ? "by its arguments" : "each call";
  const rule = place ? `, by confirm (${formatPlace(place)})` : "";
  return [
    ...(confirm ? [`  asks a person: ${which}${rule}`, `    because ${reason}`] : []),
    ...(!confirm && tool.owner.isScripts ? ["  asks a person: no, but its calls do"] : []),
    `  effect: ${tool.effect ?? "not known, counts as write"}`,
    `  arguments: ${usageOf(tool) || "none"}`,
    ...(rest.length === 0 ? ["none"] : rest).map((demand) => `  demands: ${demand}`),
  ];
}

async function callLines(call: Awaited<ReturnType<typeof prepareCall>> | undefined) {
  if (call === undefined) return [];
  if (!call.ok) return ["", `This call: refused by ${call.rule}`, refusalText(call)];
  const reason = call.tool.needsConsent && await reasonToConfirm(call);
  const consent = reason ? `, once a person agrees: ${reason}` : "";
  return ["", `This call: allowed${consent}`, call.plan.preview.line];
}

export const policyInit = command({
  define: (command) =>
    withOptions(
      command
        .description("Print a policy that lists the tools of configs one by one, to start from")
        .argument("[config...]", configsHelp)
        .option("-o, --output <file>", "a new file to write (default: stdout)"),
      "config",
      "mcp",
    ),
  examples: [["policy init git docker > policy.yaml", "list all tools, to take some out"]],
  async run(named, options) {
    const { config, mcp, output } = options;
    const configs = requireSource(mcp, named, config);
    const { openSession } = await import("../../session/session.ts");
    await using session = await openSession({ configs, mcp, askServers: mcp !== undefined });
    const { tools } = session.index;
    const text = policyText(tools, [...configs, ...mcp ?? []]).join("\n");
    if (output === undefined) await print(text);
    else await requireWrite(output, "Nothing was written", () => createFile(output, `${text}\n`));
    return ExitCode.ok;
  },
});

function policyText(tools: readonly Tool[], configs: readonly string[]) {
  return [
    `# What an agent may do with ${configs.join(", ")}. What is not listed is not served.`,
    "default: disabled",
    "# A person is asked before each of these calls",
    "confirm: destructive",
    tools.length === 0 ? "tools: {}" : "tools:",
    ...tools.flatMap(toolLines),
  ];
}

function toolLines(tool: Tool): string[] {
  const line = `  ${keyText(tool.name)}:  # ${commentOf(tool)}`;
  const places = tool.args.filter(isFreePlace);
  if (places.length === 0) return [line];
  return [
    line,
    "    args:",
    ...places.map(({ name }) => `      ${keyText(name)}: { within: . }`),
  ];
}

function isFreePlace({ role, limits, fixed }: Arg): boolean {
  return role.kind === "cwd" && limits?.within === undefined && fixed === undefined;
}

function commentOf(tool: Tool): string {
  const effect = tool.effect ?? "effect not known";
  // Control characters, which a YAML comment may not contain, are escaped
  const description = visible(tool.description.replaceAll(/\s+/g, " ").trim());
  return description === "" ? effect : `${effect}: ${description}`;
}

/** Writes a name as a YAML key, in quotes if a YAML reader might take it for something other than a text. */
function keyText(name: string): string {
  const isPlain = /^[A-Za-z_][\w-]*$/.test(name) &&
    !/^(?:true|false|null|yes|no|on|off|[yn])$/i.test(name);
  return isPlain ? name : JSON.stringify(name);
}
