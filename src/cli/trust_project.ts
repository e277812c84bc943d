/** Shows a person what a project brings beside MCP servers, such as configs, and accepts it if the person says yes. */

import { ExitCode, formatProblem, type Problem, UsageError } from "../errors.ts";
import { optionalVariable } from "../io.ts";
import type { UpstreamConfig } from "../sources/upstream/config.ts";
import type { Review } from "../sources/upstream/review.ts";
import { linesToAccept, showHidden, visible } from "../text/escape.ts";
import { accept, isAccepted, requireTrustFile, type Thing } from "../trust/accepted.ts";
import { requireText } from "../files/text_file.ts";
import {
  configThing,
  isProjectConfig,
  ownConfig,
  projectConfigs,
} from "../sources/command/own_configs.ts";
import { refuseKey } from "../trust/keys.ts";
import { canAsk, confirmAtTerminal, notAccepted } from "./ask.ts";
import { printText } from "./output.ts";

export interface TrustOptions {
  readonly yes: boolean;
  readonly details: boolean;
  /** True for `--json`: nothing is printed for a person, and nothing is asked. */
  readonly json: boolean;
}

export interface TrustResult {
  readonly server?: string;
  readonly keys?: readonly string[];
  readonly file: string;
  readonly accepted: boolean;
  readonly failure?: string;
  readonly review?: Review;
  readonly warnings?: readonly string[];
}

export async function trustRest(
  { file, rest }: UpstreamConfig,
  options: TrustOptions,
): Promise<TrustResult[]> {
  const keys = Object.keys(rest.written);
  if (keys.length === 0) return [];
  const lines = JSON.stringify(rest.written, null, 2).split("\n");
  const title = `${file}, all but its servers`;
  const accepted = await acceptText(rest, { title, lines, question: "Use it?" }, options);
  const failures = accepted ? await trustKeys(rest.written, options) : [];
  for (const problem of options.json ? [] : failures) await printText(formatProblem(problem));
  return [{ file, keys, accepted: accepted && failures.length === 0 }];
}

/** Shows `lines` and asks `question`, unless the person has accepted the same before. */
async function acceptText(
  thing: Thing,
  { title, lines, question }: {
    readonly title: string;
    readonly lines: readonly string[];
    readonly question: string;
  },
  { yes, json }: Omit<TrustOptions, "details">,
): Promise<boolean> {
  const tell = async (text: string) => {
    if (!json) await printText(visible(showHidden(text)));
  };
  if (await isAccepted(thing)) {
    await tell(`${title}: as accepted`);
    return true;
  }
  await tell(`${title}:`);
  for (const line of linesToAccept(lines.join("\n"))) await tell(`  ${line}`);
  const agrees = yes || !json && canAsk() && await confirmAtTerminal(question);
  if (agrees) await accept(thing);
  await tell(agrees ? `${title}: accepted` : notAccepted(title));
  return agrees;
}

async function trustKeys(
  { embeddings, llmProvider }: UpstreamConfig["rest"]["written"],
  { yes, json }: TrustOptions,
): Promise<readonly Problem[]> {
  let isDenied = false;
  const confirm = async (question: string) => {
    if (yes && !json) await printText(`${question} yes`);
    isDenied = !yes && (json || !canAsk() || !await confirmAtTerminal(question));
    return !isDenied;
  };
  const problems: (Problem | undefined)[] = [];
  if (embeddings?.apiKeyVariable !== undefined) {
    const { endpoint, apiKeyVariable } = embeddings;
    const source = `the variable ${apiKeyVariable}`;
    problems.push(await refuseKey({ endpoint, source }, confirm));
  }
  if (llmProvider?.endpointOverride !== undefined && llmProvider.credentialSource !== "prompt") {
    const { findCredential } = await import("../agents/llm/credential.ts");
    const found = await findCredential(llmProvider, { environment: optionalVariable, confirm });
    problems.push(found.ok ? found.warning : isDenied ? found.problem : undefined);
  }
  return problems.filter((problem) => problem !== undefined);
}

export async function trustConfigs(names: readonly string[], yes: boolean): Promise<ExitCode> {
  requireTrustFile();
  const files = await Promise.all(names.map(projectConfig));
  let exitCode: ExitCode = ExitCode.ok;
  for (const file of files) {
    const text = await requireText(file, "Nothing was accepted");
    const shown = { title: file, lines: text.split("\n"), question: `Use ${file} in this folder?` };
    if (await acceptText(await configThing(file, text), shown, { yes, json: false })) continue;
    exitCode = canAsk() ? ExitCode.failure : ExitCode.usage;
  }
  return exitCode;
}

async function projectConfig(name: string): Promise<string> {
  const { files: [first], passedOver } = await ownConfig(name);
  const file = passedOver ?? first;
  if (file !== undefined && isProjectConfig(file)) return file;
  const message = `No config '${name}' is in ${projectConfigs} of this folder`;
  throw new UsageError(message, "Yours and the bundled ones need no acceptance");
}
