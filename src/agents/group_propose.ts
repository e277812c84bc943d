/** Asks a language model to sort tools into groups, and to correct a wrong answer. */

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

const maxRounds = 3;

/** The AI SDK repeats a failed request to the model at most this many times, with growing pauses. */
const maxRetries = 4;

/** A request for corrections names at most this many problems. */
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
  readonly onRound?: ((round: number, problems: readonly string[]) => void) | undefined;
}

export interface GroupProposal {
  readonly groups: readonly GroupDraft[];
  readonly problems: readonly string[];
  readonly rounds: number;
  readonly usage: AgentUsage;
}

/** Asks the model for groups, and a few times for corrections if they have faults. @throws the AI SDK's error */
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

/** Puts texts of strangers between random markers, so that no text can end its own part and give orders to the model. */
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
  return ["These groups cannot be used:", ...lines, "", "Return all groups again, corrected."]
    .join("\n");
}

/** The descriptions of all tools have at most this many characters together; each tool gets an equal share. */
const descriptionsLength = 40_000;

const minDescription = 60;
const maxDescription = 240;

const argsNamed = 6;

/** A file that describes the project is cut to this many characters. */
const fileLength = 20_000;

export interface ProjectContext {
  readonly domain?: string | undefined;
  readonly customHints?: readonly string[] | undefined;
  readonly files: readonly NamedText[];
}

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
