/** Discovery mode, the default: two meta-tools, one that finds tools and one that calls them. */

import { hasJobs } from "../call/background.ts";
import type { CallContext } from "../call/context.ts";
import { annotationsOfAny } from "../tool/annotations.ts";
import { argsSchema } from "../tool/json_schema.ts";
import type { CallResult } from "../tool/result.ts";
import { metaToolHints } from "./_client_hints.ts";
import type * as metaCalls from "./_meta_calls.ts";
import { kindArg, metaTools, metaToolsFor, searchArgs } from "./_meta_tools.ts";
import { discoveryInstructions } from "./instructions.ts";
import { type Surface, type SurfaceObserver, surfaceOver } from "./surface.ts";

/** The two meta-tools are the same for every catalogue of command-line programs. */
export function discoverySurface(
  context: CallContext,
  observers?: readonly SurfaceObserver[],
): Surface {
  return surfaceOver(context, {
    instructions: (index) => {
      return discoveryInstructions(index.summary(), context.results, {
        servers: index.servers,
        scripts: index.scripts,
        tools: index.tools,
        hasJobs: hasJobs(context),
        keepsOutputs: context.keepsOutputs?.(),
      });
    },
    list(index) {
      const annotations = { title: "Run a tool", ...annotationsOfAny(index.tools) };
      const hints = metaToolHints(context);
      const [plain, call] = index.servers.size === 0 ? metaTools : metaToolsFor(index);
      const search = index.features.length === 0
        ? plain
        : { ...plain, inputSchema: argsSchema([...searchArgs, kindArg]) };
      return [{ ...search, ...hints }, { ...call, annotations, ...hints }];
    },
    call: (...call) => callMetaTool(context, ...call),
  }, observers);
}

/** An import takes six microseconds each time. */
let loading: Promise<typeof metaCalls> | undefined;

/** {@linkcode metaCalls.callMetaTool} */
async function callMetaTool(
  ...args: Parameters<typeof metaCalls.callMetaTool>
): Promise<CallResult> {
  loading ??= import("./_meta_calls.ts");
  return await (await loading).callMetaTool(...args);
}
