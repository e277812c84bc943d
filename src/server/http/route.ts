/** Replies to requests outside of MCP: probes, metadata, preflights, and refusals of a name or a path. */

import type { IncomingMessage } from "node:http";
import { type NameCheck, type PageCheck, preflightReply } from "./addresses.ts";
import type { SharedState } from "../../state/shared_state.ts";
import { instance, instanceHeader } from "../../process/own_command.ts";
import { errorReply, type HttpReply, textReply } from "./answer.ts";
import type { Authenticator } from "./client.ts";

export const mcpPath = "/mcp";

const profilesPath = "/mcp/p/";

interface ServedPaths {
  /** Something is served at {@linkcode mcpPath}. @default true */
  readonly plain?: boolean;
  /** Profiles are served. @default false */
  readonly profiles?: boolean;
}

export interface RouteOptions {
  readonly authenticator: Authenticator;
  readonly checkNames: NameCheck;
  /** Returns whether a page may read answers. @default no page may */
  readonly mayRead?: PageCheck | undefined;
  /** Returns whether further connections are accepted. */
  readonly isReady: () => boolean;
  /** The paths that are served. @default only the path without profiles */
  readonly paths?: ServedPaths | undefined;
  readonly state?: SharedState | undefined;
}

/** Returns the path of the address that `req` has, without its query. */
export function pathOf({ url = "" }: Pick<IncomingMessage, "url">): string {
  return url.replace(/[?#].*/s, "");
}

/** Returns the name of the profile that `req` is for; nothing for other addresses. */
export function profileIn(req: Pick<IncomingMessage, "url">): string | undefined {
  const path = pathOf(req);
  return path.startsWith(profilesPath) ? path.slice(profilesPath.length) : undefined;
}

/** Returns the reply to a request outside of MCP; nothing for others. */
export function route(req: IncomingMessage, options: RouteOptions): HttpReply | undefined {
  const path = pathOf(req);
  const { plain = true, profiles = false } = options.paths ?? {};
  // Probes use the address of the server, so that the name of the host is not checked
  if (path === "/healthz") return textReply(200, "alive");
  if (path === "/readyz") {
    if (!options.isReady()) return textReply(503, "ending");
    // Most calls are answered without the store, so that an instance is ready even if its store is down
    const store = options.state?.store.condition ?? "up";
    return textReply(200, store === "up" ? "ready" : `ready, the shared store is ${store}`);
  }
  // A proxy may have used another copy of the header than climax (RFC 9112, section 3.2)
  if (repeats(req, "host")) return errorReply(400, "The request names several hosts");
  if (repeats(req, "authorization")) {
    return errorReply(400, "The request has several Authorization headers");
  }
  if (req.headers[instanceHeader] === instance) {
    return errorReply(
      508,
      "climax is a server of itself: remove it from the files that --mcp names",
    );
  }
  const { host, origin } = req.headers;
  const wrong = options.checkNames(host, origin);
  if (wrong !== undefined) return errorReply(403, wrong);
  const preflight = preflightReply(req, options.mayRead ?? (() => false));
  if (preflight !== undefined) return preflight;
  const metadata = options.authenticator.metadata?.(path, req);
  if (metadata !== undefined) return metadata;
  if (path === mcpPath ? plain : profiles && path.startsWith(profilesPath)) return undefined;
  const place = [...plain ? [mcpPath] : [], ...profiles ? [`${profilesPath}NAME`] : []].join(
    " and ",
  );
  if (path === "/sse" || path === "/messages") {
    const text =
      `The HTTP+SSE transport of 2024-11-05 is not served: Streamable HTTP is, at ${place}`;
    return errorReply(404, text);
  }
  return errorReply(404, `Not found: MCP is served at ${place}`);
}

/** Returns whether a header occurs twice. Node's parsed headers have the first one only. */
function repeats({ rawHeaders }: IncomingMessage, name: string): boolean {
  const isIt = (word: string, at: number) => at % 2 === 0 && word.toLowerCase() === name;
  return rawHeaders.findIndex(isIt) !== rawHeaders.findLastIndex(isIt);
}
