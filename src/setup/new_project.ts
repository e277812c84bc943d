/** The text of a project's file without servers, to be filled in. */

import { configVersion, type ProjectFile } from "../sources/upstream/schema.ts";

/** What a file names where the person chose nothing; only sub-agents and grouping ask a model. */
export const defaultProvider: ProjectFile["llmProvider"] = {
  type: "anthropic",
  credentialSource: "env-var",
};

/** The text; `schema` is the URL of its schema for editors. */
export function emptyProject(
  schema: string | undefined,
  provider: ProjectFile["llmProvider"] = defaultProvider,
): string {
  const fields = Object.entries(provider).map(([key, value]) => {
    return `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
  });
  return `{
${
    schema === undefined
      ? ""
      : `  "$schema": ${JSON.stringify(schema)},\n`
  }  "version": "${configVersion}",
  // climax add NAME -- COMMAND, or climax add URL, puts a server here, such as
  // { "name": "files", "transport": "stdio", "command": "npx",
  //   "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] }
  "mcpServers": [],
  // Asked by climax build and by sub-agents (climax mcp), and by nothing else
  "llmProvider": { ${fields.join(", ")} }
}
`;
}
