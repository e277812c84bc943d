/** Skills over MCP (`io.modelcontextprotocol/skills`): their list, and the entry of one. Files are resources. */

import type {
  InputRequiredResult,
  McpServer,
  ServerContext,
  StandardSchemaV1,
} from "@modelcontextprotocol/server";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { skillName } from "../tool/feature.ts";
import type { CallResult } from "../tool/result.ts";
import type { Surface } from "./surface.ts";

/** Requests a feature by its name; throws if that is refused or fails. */
export type RequestFeature = (
  name: string,
  context: ServerContext,
) => Promise<CallResult | InputRequiredResult>;

/** Entries may be kept no longer than until the next request: a host asks again when a digest does not fit. */
const cache = { ttlMs: 0, cacheScope: "private" } as const;

export function serveSkills(
  { server }: McpServer,
  surface: Pick<Surface, "listFeatures">,
  request: RequestFeature,
): void {
  server.setRequestHandler("skills/list", { params: listParams }, ({ cursor }) => {
    if (cursor !== undefined) throw invalid("no such cursor, the list of skills has one page");
    const skills = surface.listFeatures().flatMap(({ feature }) => feature?.skill ?? []);
    return { skills, ...cache };
  });
  server.setRequestHandler("skills/get", { params: getParams }, async ({ uri }, context) => {
    const result = await request(skillName(uri), context);
    const entry = "resultType" in result ? undefined : result.structured;
    if (entry === undefined) throw invalid(`no skill is served at ${uri}`);
    return { ...entry, ...cache };
  });
}

function invalid(reason: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params: ${reason}`);
}

const listParams = paramsOf<{ readonly cursor?: string }>((value) => {
  const cursor = (value as { cursor?: unknown } | null | undefined)?.cursor;
  return cursor === undefined ? {} : typeof cursor === "string" ? { cursor } : undefined;
}, "'cursor' must be a string");

const getParams = paramsOf<{ readonly uri: string }>((value) => {
  const uri = (value as { uri?: unknown } | null | undefined)?.uri;
  return typeof uri === "string" ? { uri } : undefined;
}, "'uri' must be the address of a SKILL.md");

/** Written by hand: a schema library would take longer to load. */
function paramsOf<Params>(
  read: (value: unknown) => Params | undefined,
  message: string,
): StandardSchemaV1<unknown, Params> {
  return {
    "~standard": {
      version: 1,
      vendor: "climax",
      validate(value) {
        const params = read(value);
        return params === undefined ? { issues: [{ message }] } : { value: params };
      },
    },
  };
}
