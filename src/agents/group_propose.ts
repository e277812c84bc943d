/** Asks a language model for groups, and for corrections in a few rounds. `group_repair.ts` repairs the rest. */

import "./llm/quiet_sdk.ts";
import * as z from "zod";
import instructionsTemplate from "./prompts/propose_groups.md" with { type: "text" };
import {
  generateText,
  type LanguageModel,
  type ModelMessage,
  NoObjectGeneratedError,
  Output,
} from "ai";
import { messageOf } from "../errors.ts";
import type { Tool } from "../tool/tool.ts";
import { type GroupDraft, type GroupLimits, groupProblems } from "./group_draft.ts";
import { type AgentUsage, tokenUsage } from "./request.ts";
import { inOneLine } from "../text/escape.ts";
import type { NamedText } from "../text/named_text.ts";
import { excerpt } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";

/** The model is asked at most this many times. */
const maxRounds = 3;

/** A failed request is sent at most this many times again, with growing pauses. */
const maxRetries = 4;

/** One correction names at most this many problems. */
const maxProblems = 40;

const answerSchema = z.object({
  groups: z.array(z.object({
    name: z.string(),
    description: z.string(),
    systemPrompt: z.string(),
    complementarityScore: z.number(),
    tools: z.array(z.string()),
  })),
});

interface ProposeOptions {
  readonly model: LanguageModel;
  readonly limits: GroupLimits;
  readonly project: ProjectContext;
  readonly signal?: AbortSignal | undefined;
  /** Called at the start of a round, with the problems of the answer before. */
  readonly onRound?: ((round: number, problems: readonly string[]) => void) | undefined;
}

/** The last valid answer of a model. */
export interface GroupProposal {
  readonly groups: readonly GroupDraft[];
  /** The problems that remain. */
  readonly problems: readonly string[];
  readonly rounds: number;
  readonly usage: AgentUsage;
}

/** Asks until the groups have no problems, in a few rounds. @throws the error of the AI SDK if there is no answer */
export async function proposeGroups(
  tools: readonly Tool[],
  options: ProposeOptions,
): Promise<GroupProposal> {
  const { limits, project, onRound } = options;
  const names = new Set(tools.map(({ name }) => name));
  const messages: ModelMessage[] = [{ role: "user", content: requestFor(tools, project) }];
  const usage = { inputTokens: 0, outputTokens: 0 };
  let groups: readonly GroupDraft[] = [];
  let problems: readonly string[] = [];
  let rounds = 0;
  while (rounds < maxRounds) {
    onRound?.(++rounds, problems);
    const answer = await ask(messages, options);
    usage.inputTokens += answer.usage.inputTokens;
    usage.outputTokens += answer.usage.outputTokens;
    if (answer.groups !== undefined) groups = answer.groups;
    problems = answer.groups === undefined
      ? answer.problems
      : groupProblems(answer.groups, names, limits);
    if (problems.length === 0) break;
    messages.push(
      { role: "assistant", content: answer.text === "" ? "(no answer)" : answer.text },
      { role: "user", content: correction(problems) },
    );
  }
  return { groups, problems, rounds, usage };
}

/** Asks the model once. Returns no groups if the answer is invalid. */
async function ask(messages: readonly ModelMessage[], { model, limits, signal }: ProposeOptions) {
  try {
    const { output, text, usage } = await generateText({
      model,
      instructions: instructionsFor(limits),
      messages: [...messages],
      output: Output.object({ schema: answerSchema, name: "groups" }),
      maxRetries,
      telemetry: { isEnabled: false },
      ...(signal === undefined ? {} : { abortSignal: signal }),
    });
    return { text, usage: tokenUsage(usage), groups: output.groups, problems: [] };
  } catch (error) {
    if (!NoObjectGeneratedError.isInstance(error)) throw error;
    const { text = "", usage, finishReason, cause } = error;
    const problem = finishReason === "length"
      ? "The answer was cut off: it is too long. Write shorter system prompts"
      : `The answer does not fit the schema: ${messageOf(cause ?? error)}`;
    return { text, usage: tokenUsage(usage), problems: [problem] };
  }
}

function instructionsFor(limits: GroupLimits): string {
  return instructionsTemplate.replace(/\{(\w+)\}/g, (whole, key) => {
    return String(limits[key as keyof GroupLimits] ?? whole);
  });
}

/** Writes the data between random markers, which their authors cannot know. */
function requestFor(tools: readonly Tool[], project: ProjectContext): string {
  const mark = crypto.randomUUID().slice(0, 8);
  const part = (name: string, text: string) => `<${name}-${mark}>\n${text}\n</${name}-${mark}>`;
  const about = compactProject(project);
  return [
    part("catalogue", compactCatalogue(tools)),
    ...(about === "" ? [] : [part("project", about)]),
    `Group these ${tools.length} tools.`,
  ].join("\n\n");
}

function correction(problems: readonly string[]): string {
  const lines = problems.slice(0, maxProblems).map((problem) => `- ${problem}`);
  const more = problems.length > maxProblems
    ? [`- and ${problems.length - maxProblems} more problems of these kinds`]
    : [];
  return [
    "These groups cannot be used:",
    ...lines,
    ...more,
    "",
    "Return all groups again, corrected.",
  ]
    .join("\n");
}

/** All descriptions have at most this many characters; each tool has an equal share. */
const descriptionsLength = 40_000;

/** A description is cut to a number of characters between these bounds. */
const minDescription = 60;
const maxDescription = 240;

/** At most this many arguments of a tool are named. */
const argsNamed = 6;

/** A file of the project is cut to this many characters. */
const fileLength = 20_000;

/** The project for which the tools are. Each part may be missing. */
export interface ProjectContext {
  readonly domain?: string | undefined;
  readonly customHints?: readonly string[] | undefined;
  /** Markdown files that describe the project. */
  readonly files: readonly NamedText[];
}

/** Writes one line for each tool, below its owner. */
function compactCatalogue(tools: readonly Tool[]): string {
  const share = Math.round(descriptionsLength / tools.length);
  const length = Math.max(minDescription, Math.min(maxDescription, share));
  const owners = Map.groupBy(tools, ({ owner }) => owner.name);
  return [...owners].map(([name, own]) => {
    const about = oneLine(own[0]!.owner.description, maxDescription);
    const heading = `# ${name} (${plural(own.length, "tool")})${about === "" ? "" : `: ${about}`}`;
    return [heading, ...own.map((tool) => compactTool(tool, length))].join("\n");
  }).join("\n\n");
}

function compactTool({ name, description, args }: Tool, length: number): string {
  const named = args.slice(0, argsNamed).map((arg) => arg.name).join(", ");
  const about = oneLine(description, length);
  return [name, about === "" ? "" : `: ${about}`, named === "" ? "" : ` [${named}]`].join("");
}

/** Describes the project; empty if nothing is known. */
function compactProject({ domain, customHints = [], files }: ProjectContext): string {
  return [
    ...(domain === undefined ? [] : [`Domain: ${oneLine(domain, maxDescription)}`]),
    ...customHints.map((hint) => `Hint of the user: ${oneLine(hint, 1000)}`),
    ...files.map(({ file, text }) => `File ${file}:\n${excerpt(text.trim(), fileLength)}`),
  ].join("\n\n");
}

function oneLine(text: string, length: number): string {
  return excerpt(inOneLine(text), length);
}
