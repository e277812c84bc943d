/** Checks a server of a project's file for what its schema cannot express. */

import type { Finding, Path } from "../../files/finding.ts";
import { ownProperty } from "../../text/own_property.ts";

/** Finds what the schema cannot express. `server` stands at `path`, and may fail the schema. */
export function serverProblems(server: unknown, path: Path): Finding[] {
  const transport = ownProperty(server, "transport");
  const problemOfMissing = (key: string) => ({
    path,
    message: `Missing required key '${key}', which 'transport: ${transport}' needs`,
  });
  const meaningless = (key: string) =>
    ownProperty(server, key) === undefined ? [] : [{
      path: [...path, key],
      message: `'${key}' has no meaning for 'transport: ${transport}'`,
      hint: "Take it out; a server with a 'command' is stdio, one with a 'url' http or websocket",
    }];
  if (transport === "stdio") {
    return [
      ...(ownProperty(server, "command") === undefined ? [problemOfMissing("command")] : []),
      ...["url", "headers", "auth"].flatMap(meaningless),
    ];
  }
  if (transport !== "http" && transport !== "websocket") return [];
  const url = ownProperty(server, "url");
  return [
    ...(url === undefined ? [problemOfMissing("url")] : []),
    ...(typeof url === "string" ? checkUrl(url, transport, [...path, "url"]) : []),
    ...["command", "args", "env", "cwd", "sandbox"].flatMap(meaningless),
    ...(transport === "websocket" ? meaningless("auth") : checkAuth(server, path)),
  ];
}

function checkAuth(server: unknown, path: Path): Finding[] {
  const auth = ownProperty(server, "auth");
  if (auth === undefined) return [];
  const at = [...path, "auth"];
  const headers = Object.keys(Object(ownProperty(server, "headers")));
  const both = headers.some((name) => name.toLowerCase() === "authorization")
    ? [{ path: at, message: "'auth' has no meaning beside the header 'Authorization'" }]
    : [];
  const alone = ownProperty(auth, "clientSecret") !== undefined &&
    ownProperty(auth, "clientId") === undefined;
  return [
    ...both,
    ...(alone ? [{ path: at, message: "'clientSecret' needs a 'clientId'" }] : []),
  ];
}

function checkUrl(text: string, transport: "http" | "websocket", path: Path): Finding[] {
  const schemes = transport === "http" ? ["http:", "https:"] : ["ws:", "wss:"];
  // The value of a variable is checked when it is used
  const url = URL.parse(text.replace(/\$\{?\w+\}?/g, "x"));
  if (text.startsWith("$") || (url !== null && schemes.includes(url.protocol))) return [];
  const expected = schemes.map((scheme) => `${scheme}//`).join(" or ");
  return [{ path, message: `'url': '${text}' is not a URL that begins with ${expected}` }];
}
