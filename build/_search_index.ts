/** Makes the index of a search in all bundled configs, which the portable folder has beside them. */

import { fileOfRanking, noteOrigin, originOf } from "../src/catalog/prepared_ranking.ts";
import { packIndex } from "../src/catalog/rank/packed_index.ts";
import { toDocument } from "../src/catalog/tool_index.ts";
import { resolveConfig } from "../src/sources/command/resolve.ts";
import type { ParsedConfig } from "./_compiled_configs.ts";
import { notBuilt } from "./_problems.ts";

/** The index of the tools that a session without a sandbox has, and the name of its file. */
export function searchIndex(configs: readonly ParsedConfig[]) {
  const tools = configs.flatMap(({ name, json }) => {
    // A start takes for granted that no config of a bundle has a problem, whatever variables are set
    const { tools, problems, warnings } = resolveConfig(JSON.parse(json), () => undefined);
    const [finding] = [...problems, ...warnings];
    if (finding !== undefined) throw notBuilt(`The config '${name}': ${finding.message}`);
    noteOrigin(tools, json);
    return tools.filter(({ requires }) => requires === undefined);
  });
  return { file: fileOfRanking(tools), bytes: packIndex(tools.map(toDocument), originOf(tools)!) };
}
