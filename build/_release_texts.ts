/** The files of a release that are texts, and the archives of texts, by their names. */

import manifest from "../deno.json" with { type: "json" };
import readme from "../README.md" with { type: "text" };
import skill from "../src/setup/skill.md" with { type: "text" };
import { buttonWords } from "./_buttons.ts";
import { author, description, npxWords } from "./_facts.ts";
import { registryName, withAddresses } from "./_repository.ts";
import type { ArchiveFiles } from "./_zip.ts";

const { version } = manifest;

/** Makes a text of the repository's address. */
type Maker = (repository: string) => string;

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Texts that need the repository's address, by their names. */
export const texts: Readonly<Record<string, Maker>> = {
  "server.json": (repository) => json(serverJson(repository)),
  "llms.txt": llmsText,
};

/** The entry of the MCP registry; its name is `mcpName` of the npm package. */
export function serverJson(repository: string): object {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: registryName(repository),
    title: "climax",
    description,
    repository: {
      url: repository,
      source: new URL(repository).hostname.split(".").at(-2) ?? "git",
    },
    version,
    packages: [{
      registryType: "npm",
      registryBaseUrl: "https://registry.npmjs.org",
      identifier: manifest.name,
      version,
      runtimeHint: "npx",
      transport: { type: "stdio" },
      packageArguments: [
        { type: "positional", value: "run" },
        {
          type: "positional",
          valueHint: "config",
          description: "Bundled configs by name, or YAML files",
          default: "git",
          isRequired: true,
          isRepeated: true,
        },
        {
          type: "named",
          name: "--policy",
          description: "What an agent may call: a file, ask, open, readonly or NAME-readonly",
          default: "ask",
        },
        { type: "named", name: "--results", value: "compact" },
        { type: "named", name: "--background-after", value: "45" },
      ],
    }],
  };
}

/** Returns llms.txt, which language models read first: the README's list of pages, with addresses. */
function llmsText(repository: string): string {
  const [, pages] = /^## Documentation\n+([^]*)/m.exec(readme)!;
  // Headings of the list are lines that end with a colon
  const list = pages!.replace(/^(\w[\w ]*):$/gm, "## $1");
  return withAddresses(`# climax\n\n> ${description}\n\n${list}`, "README.md", repository);
}

/** The manifest of the plugin for Claude Code. */
export const pluginManifest: object = {
  name: "climax",
  version,
  description,
  author: { name: author },
  license: "MIT",
  keywords: ["mcp", "cli"],
};

/** A marketplace of one plugin for Claude Code: the server, and the skill of writing configs. */
export const claudePlugin: ArchiveFiles = {
  ".claude-plugin/marketplace.json": json({
    name: "climax",
    description,
    owner: { name: author },
    plugins: [{ name: "climax", description, source: "./climax" }],
  }),
  "climax/.claude-plugin/plugin.json": json(pluginManifest),
  "climax/.mcp.json": json({
    mcpServers: {
      climax: {
        command: npxWords[0],
        args: [...npxWords.slice(1), "run", ...buttonWords.slice(1)],
      },
    },
  }),
  "climax/skills/climax-config/SKILL.md": skill,
};
