/** The two ways to show a catalogue: two meta-tools that find and call (discovery), or each tool (classic). */

import type * as metaCalls from "./_meta_calls.ts";
import {
  backgroundAfter,
  hasJobs,
  jobKey,
  schemaOfBackground,
  takesJobKey,
} from "../call/background.ts";
import type { CallContext } from "../call/context.ts";
import { annotationsOf, annotationsOfAny } from "../tool/annotations.ts";
import { argsSchema, inputSchema } from "../tool/json_schema.ts";
import { kindArg, metaTools, metaToolsFor, searchArgs } from "./_meta_tools.ts";
import { classicInstructions, discoveryInstructions } from "./instructions.ts";
import {
  type FeatureSurface,
  type ListedTool,
  type Surface,
  type SurfaceObserver,
  surfaceOver,
} from "./surface.ts";
import type { ObjectSchema, Tool } from "../tool/tool.ts";

/** The two meta-tools are the same for every catalogue of command-line programs. */
export function discoverySurface(
  context: CallContext,
  observers?: readonly SurfaceObserver[],
  features?: FeatureSurface,
): Surface {
  return surfaceOver(context, {
    instructions: (index) => {
      return discoveryInstructions(index.summary(), context.results, {
        servers: index.servers,
        scripts: index.scripts,
        tools: index.tools,
        hasJobs: hasJobs(context),
        storesOutputs: context.storesOutputs?.(),
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
    features,
  }, observers);
}

/** An import takes six microseconds each time. */
let loading: Promise<typeof metaCalls> | undefined;

async function callMetaTool(...args: Parameters<typeof metaCalls.callMetaTool>) {
  loading ??= import("./_meta_calls.ts");
  return await (await loading).callMetaTool(...args);
}

export function classicSurface(
  context: CallContext,
  observers?: readonly SurfaceObserver[],
  features?: FeatureSurface,
): Surface {
  return surfaceOver(context, {
    instructions: (index) => classicInstructions(index.summary(), index),
    list: (index) => index.tools.map((tool) => listTool(context, tool)),
    features,
  }, observers);
}

function listTool(context: CallContext, tool: Tool): ListedTool {
  const { name, description, title, icons } = tool;
  const output = schemaOfBackground(context.background, tool);
  const annotations = annotationsOf(tool);
  return {
    name,
    description,
    inputSchema: withJobKey(context, tool),
    ...(output === undefined ? {} : { outputSchema: output }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(title === undefined ? {} : { title }),
    ...(icons === undefined ? {} : { icons }),
    ...metaOf(tool, resultHints(context)),
  };
}

/** The schema with the key that asks for a job at once, for a tool that may become one. */
function withJobKey({ background }: CallContext, tool: Tool): ObjectSchema {
  const schema = inputSchema(tool);
  const isSlow = (backgroundAfter(background, tool) ?? 0) > 0;
  if (!isSlow || !takesJobKey(background, tool)) return schema;
  const key = { type: "boolean", description: "Return a background job at once" };
  return { ...schema, properties: { ...schema.properties, [jobKey]: key } };
}

function metaOf({ meta }: Tool, { _meta }: Pick<ListedTool, "_meta">): Pick<ListedTool, "_meta"> {
  return meta === undefined && _meta === undefined ? {} : { _meta: { ...meta, ..._meta } };
}

/** Most characters of a result that Claude Code accepts. */
const maxCharacters = 500_000;

/** Without hints, Claude Code writes results of over 50,000 characters or 25,000 tokens to a file. */
function resultHints({ maxResultTokens }: Pick<CallContext, "maxResultTokens">) {
  // Without a bound here, that of the client is the only one
  if (maxResultTokens === 0) return {};
  return { _meta: { "anthropic/maxResultSizeChars": maxCharacters } };
}

/** Hints for a tool that is one of very few: else Claude Code shows its model the name without the schema. */
function metaToolHints(context: Pick<CallContext, "maxResultTokens">) {
  return { _meta: { "anthropic/alwaysLoad": true, ...resultHints(context)._meta } };
}

/** The surface of `context` in either mode, with its prompts and resources if it can have any. */
export async function openSurface(
  context: CallContext,
  { classic, observers }: {
    readonly classic: boolean | undefined;
    readonly observers: readonly SurfaceObserver[];
  },
): Promise<Surface> {
  const features = context.features && (await import("./features.ts"))
    .featureSurface(context.features, context);
  return (classic ? classicSurface : discoverySurface)(context, observers, features);
}
