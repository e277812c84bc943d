/** The files of a release that are texts, and the archives of texts, by their names. */

import manifest from "../deno.json" with { type: "json" };
import readme from "../README.md" with { type: "text" };
import { type SchemaName, schemaNames } from "../src/setup/file_names.ts";
import { jsonSchema } from "../src/setup/json_schemas.ts";
import skill from "../src/setup/skill.md" with { type: "text" };
import { buttonWords } from "./_buttons.ts";
import { author, denoVersion, description, npxWords, runFlags } from "./_facts.ts";
import { dockerCatalogue } from "./_docker_catalogue.ts";
import { portableFiles } from "./_portable_folder.ts";
import { registryName, withAddresses } from "./_repository.ts";
import { validated } from "./_validate.ts";
import type { ArchiveFiles } from "./_zip.ts";

const { version } = manifest;
const name = `climax-${version}`;

/** What the files say of where they come from, as far as it is known. */
export interface Origin {
  readonly repository: string | undefined;
  /** The commit that the release is made of. */
  readonly commit: string | undefined;
}

/** Makes a file; `undefined` if it says something of its origin that is not known. */
type Maker<T> = (origin: Origin) => T | undefined;

/** Wraps a maker that needs the repository's address. */
function needing<T>(make: (repository: string) => T): Maker<T> {
  return ({ repository }) => repository === undefined ? undefined : make(repository);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Texts by their names. */
export const texts: Readonly<Record<string, Maker<string>>> = {
  "server.json": needing((repository) => json(serverJson(repository))),
  "llms.txt": needing(llmsText),
};

/** Archives by their names; `script` is the path of the portable form, with its folder beside it. */
export function folders(script: string): Readonly<Record<string, Maker<ArchiveFiles>>> {
  return {
    [`${name}-claude-plugin.zip`]: () => claudePlugin,
    [`${name}-schema-store.zip`]: () => schemaStore(),
    [`${name}-docker-mcp.zip`]: ({ repository, commit }) => {
      return repository && commit ? dockerCatalogue(repository, commit) : undefined;
    },
    [`${name}-nix.tar.gz`]: () => ({ "flake.nix": flake, ...portableFiles(script, "climax") }),
  };
}

/** The entry of the MCP registry; its name is `mcpName` of the npm package. */
export function serverJson(repository: string): object {
  return validated("server", {
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
  });
}

/** What a language model reads first: the README's list of pages, with addresses. */
function llmsText(repository: string): string {
  const [, pages] = /^## Documentation\n+([^]*)/m.exec(readme)!;
  // Headings of the list are lines that end with a colon
  const list = pages!.replace(/^(\w[\w ]*):$/gm, "## $1");
  return withAddresses(`# climax\n\n> ${description}\n\n${list}`, "README.md", repository);
}

/** The files of a schema, as editors name them. */
export const filePatterns: Readonly<Record<SchemaName, readonly string[]>> = {
  config: ["*.climax.yaml", "*.climax.yml", "**/.climax/*.yaml", "**/.climax/*.yml"],
  policy: ["*.climax-policy.yaml", "*.climax-policy.yml"],
  project: ["tamamo-x.config.json"],
};

/** The schemas and their entries in the catalogue of the schema store, by their places in its repository. */
function schemaStore(): ArchiveFiles {
  const schemas = schemaNames.map((each) => [each, jsonSchema(each)] as const);
  const entries = schemas.map(([each, { $id, title }]) => ({
    name: `climax ${each}`,
    description: title!,
    fileMatch: filePatterns[each],
    url: $id as string,
  }));
  const files = schemas.map(([each, schema]) => {
    return [`src/schemas/json/climax-${each}.json`, json(schema)] as const;
  });
  const catalog = validated("catalog", {
    $schema: "https://json.schemastore.org/schema-catalog.json",
    version: 1,
    schemas: entries,
  });
  return { "src/api/json/catalog.json": json(catalog), ...Object.fromEntries(files) };
}

/** The manifest of the plugin for Claude Code. */
export const pluginManifest: object = validated("plugin", {
  name: "climax",
  version,
  description,
  author: { name: author },
  license: "MIT",
  keywords: ["mcp", "cli"],
});

/** A marketplace of one plugin for Claude Code: the server, and the skill of writing configs. */
const claudePlugin: ArchiveFiles = {
  ".claude-plugin/marketplace.json": json(validated("marketplace", {
    name: "climax",
    description,
    owner: { name: author },
    plugins: [{ name: "climax", description, source: "./climax" }],
  })),
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

/** A flake that has the portable form beside it: `nix run 'tarball+https://…-nix.tar.gz' -- git`. */
const flake = `{
  description = "${description}";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";
  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = nixpkgs.lib.genAttrs systems;
    in {
      packages = each (system:
        let pkgs = nixpkgs.legacyPackages.\${system}; in {
          # Made for Deno ${denoVersion}
          default = pkgs.writeShellScriptBin "climax" ''
            exec \${pkgs.deno}/bin/deno run ${runFlags.join(" ")} \${./climax}/climax.mjs "$@"
          '';
        });
      apps = each (system: {
        default = { type = "app"; program = "\${self.packages.\${system}.default}/bin/climax"; };
      });
    };
}
`;
