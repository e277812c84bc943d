/** Greets a person who started the server by hand and would otherwise see nothing. */

import { confirmationWords } from "../policy/none.ts";
import { ownCommand } from "../process/own_command.ts";
import type { Session, SessionOptions } from "../session/session.ts";
import { plural } from "../text/plural.ts";
import { shellWord } from "../text/shell_word.ts";

export function greeting(session: Session, options: SessionOptions): string {
  const clis = session.index.summary()
    .map(({ name, tool_count }) => `${name} (${plural(tool_count, "tool")})`);
  const shown = clis.length > 5 ? [...clis.slice(0, 5), `${clis.length - 5} more`] : clis;
  return [
    `climax serves ${shown.join(", ")} and waits for an MCP client on stdin; Ctrl-C ends it`,
    confirmationWords(session.index.tools, options.policy),
    `To try a tool by hand:\n    ${commandLine(sampleCall(session, options))}`,
  ].join("\n");
}

/** A command line that works unchanged: it calls a tool without required arguments, or lists all tools. */
function sampleCall({ index }: Session, { configs, mcp = [], policy }: SessionOptions): string[] {
  const files = configs.filter((config) => typeof config === "string");
  const servers = mcp.filter((file) => typeof file === "string").flatMap((file) => ["--mcp", file]);
  const under = typeof policy === "string" ? ["--policy", policy] : [];
  const easy = index.tools.find(({ args }) => !args.some(({ required }) => required));
  if (easy === undefined) return ["list", ...files, ...servers, ...under];
  const from = files.flatMap((file) => ["--config", file]);
  return ["call", easy.name, "--dry-run", ...from, ...servers, ...under];
}

function commandLine(words: readonly string[]): string {
  return [...ownCommand(), ...words].map((word) => shellWord(word)).join(" ");
}
