/** What the Docker MCP catalogue wants: an entry, and the tools, which need no account to be listed. */

import { dump } from "js-yaml";
import { description } from "./_facts.ts";
import { ownerAndName } from "./_repository.ts";
import { validated } from "./_validate.ts";
import type { ArchiveFiles } from "./_zip.ts";

/** The two texts of an entry, as objects. */
export interface DockerEntry {
  readonly server: Readonly<Record<string, unknown>>;
  readonly tools: readonly object[];
}

/** The files of the entry, by their places in the catalogue's repository. */
export function dockerCatalogue(repository: string, commit: string): ArchiveFiles {
  const [, project] = ownerAndName(repository);
  const { server, tools } = dockerEntry(repository, commit);
  return {
    [`servers/${project}/server.yaml`]: dump(server, { quoteStyle: "double" }),
    [`servers/${project}/tools.json`]: `${JSON.stringify(tools, null, 2)}\n`,
  };
}

/** The entry of the image that Docker builds from `commit`. @throws when the catalogue would refuse it */
export function dockerEntry(repository: string, commit: string): DockerEntry {
  const [, project] = ownerAndName(repository);
  return validated("docker", {
    server: {
      name: project,
      image: `mcp/${project}`,
      type: "server",
      meta: { category: "devops", tags: ["cli", "gateway"] },
      // The catalogue wants each word of a title with a capital letter
      about: { title: "Climax", description },
      source: { project: repository, commit },
      run: {
        command: ["run", "/configs/climax.yaml"],
        volumes: [`{{${project}.folder}}:/configs`],
      },
      config: {
        description: "The folder with climax.yaml, the config of the programs in your image",
        parameters: {
          type: "object",
          properties: { folder: { type: "string" } },
          required: ["folder"],
        },
      },
    },
    tools: [
      {
        name: "climax_search",
        description: "Find a tool",
        arguments: [{ name: "query", type: "string", desc: "What it should do" }],
      },
      {
        name: "climax_call",
        description: "Run a tool",
        arguments: [
          { name: "tool_name", type: "string", desc: "The tool's name" },
          { name: "args", type: "object", desc: "The tool's arguments" },
        ],
      },
    ],
  });
}
