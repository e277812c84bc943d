/** Replies to requests outside of MCP: probes, metadata, preflights, and refusals of host names or paths. */

import type { IncomingMessage } from "node:http";
import { type NameCheck, type PageCheck, preflightReply } from "./addresses.ts";
import type { SharedState } from "../../state/shared_state.ts";
import { instance, instanceHeader } from "../../process/own_command.ts";
import { errorReply, type HttpReply, textReply } from "./answer.ts";
import type { Authenticator } from "./client.ts";

export const mcpPath = "/mcp";

const profilesPath = "/mcp/p/";

export interface RouteOptions {
  readonly authenticator: Authenticator;
  readonly checkNames: NameCheck;
  readonly mayRead?: PageCheck | undefined;
  readonly isReady: () => boolean;
  readonly paths?: { readonly plain?: boolean; readonly profiles?: boolean } | undefined;
  readonly state?: SharedState | undefined;
}

export function pathOf({ url = "" }: Pick<IncomingMessage, "url">): string {
  return url.replace(/[?#].*/s, "");
}

export function profileIn(req: Pick<IncomingMessage, "url">): string | undefined {
  const path = pathOf(req);
  return path.startsWith(profilesPath) ? path.slice(profilesPath.length) : undefined;
}

export function route(req: IncomingMessage, options: RouteOptions): HttpReply | undefined {
  const path = pathOf(req);
  const { plain = true, profiles = false } = options.paths ?? {};
  // Health probes name an IP address and no host name, so `Host` is not checked for them
  if (path === "/healthz") return textReply(200, "alive");
  if (path === "/readyz") {
    if (!options.isReady()) return textReply(503, "ending");
    // Most calls need no shared store, so an instance says that it is ready even while the store is down
    const store = options.state?.store.condition ?? "up";
    return textReply(200, store === "up" ? "ready" : `ready, the shared store is ${store}`);
  }
  // If a header is repeated, a proxy may have checked another copy than climax reads (RFC 9112, section 3.2)
  if (repeats(req, "host")) return errorReply(400, "The request names several hosts");
  if (repeats(req, "authorization")) {
    return errorReply(400, "The request has several Authorization headers");
  }
  if (req.headers[instanceHeader] === instance) {
    const text = "climax is a server of itself: remove it from the files that --mcp names";
    return errorReply(508, text);
  }
  const { host, origin } = req.headers;
  const wrong = options.checkNames(host, origin);
  if (wrong !== undefined) return errorReply(403, wrong);
  const preflight = preflightReply(req, options.mayRead ?? (() => false));
  if (preflight !== undefined) return preflight;
  const metadata = options.authenticator.metadata?.(path, req);
  if (metadata !== undefined) return metadata;
  if (path === mcpPath ? plain : profiles && path.startsWith(profilesPath)) return undefined;
  const places = [...plain ? [mcpPath] : [], ...profiles ? [`${profilesPath}NAME`] : []];
  const text = `Not found: MCP is served at ${places.join(" and ")}, by Streamable HTTP`;
  return errorReply(404, text);
}

/** Returns whether a request repeats a header, of which Node keeps only the first. */
function repeats({ rawHeaders }: IncomingMessage, name: string): boolean {
  const isIt = (word: string, at: number) => at % 2 === 0 && word.toLowerCase() === name;
  return rawHeaders.findIndex(isIt) !== rawHeaders.findLastIndex(isIt);
}
