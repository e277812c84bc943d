/** Literal credentials of a server → references to environment variables, which hold them from then on. */

import {
  credentialsIn,
  isLiteral,
  namesCredential,
  secretParts,
} from "../sources/upstream/credentials.ts";
import { variableName } from "../sources/upstream/client_config.ts";
import type { ServerFile } from "../sources/upstream/schema.ts";

/** Variables that were made for credentials, with what they are to hold. Never written anywhere. */
export type Secrets = Map<string, string>;

/** `server` without literal credentials; `secrets` gets the variables that it refers to instead. */
export function moveSecrets(server: ServerFile, secrets: Secrets): ServerFile {
  const moved = structuredClone(server);
  for (const { path: [key, part] } of credentialsIn(server)) {
    const refer = (text: string, name: string) => replaceSecrets(text, name, server.name, secrets);
    if (key === "url" || key === "command") {
      moved[key] = refer(moved[key]!, "TOKEN");
    } else if (key === "args") {
      const args = moved.args!;
      const index = Number(part);
      const option = String(args[index - 1] ?? "");
      args[index] = refer(args[index]!, namesCredential(option) ? variableName(option) : "TOKEN");
    } else if (key === "env") {
      moved.env![String(part)] = refer(moved.env![String(part)]!, String(part));
    } else if (key === "headers") {
      const header = String(part);
      const name = /^authorization$/i.test(header) ? "TOKEN" : variableName(header);
      moved.headers![header] = refer(moved.headers![header]!, name);
    }
  }
  return moved;
}

/** `text` with the credential in it, or the whole of it, made a reference. */
function replaceSecrets(text: string, name: string, server: string, secrets: Secrets): string {
  const refer = (value: string) => `\${${variableFor(value, name, server, secrets)}}`;
  const parts = secretParts(text);
  if (parts.length > 0) {
    return parts.reduce((left, part) => {
      // Of a URL's user and password, the password
      const secret = /^:\/\/[^:]+:(.+)@$/.exec(part)?.[1] ?? part;
      return left.replace(secret, () => refer(secret));
    }, text);
  }
  const named = /^(?:(?:Bearer|Basic|Token)\s+|-{0,2}[A-Za-z][\w-]*(?:=|:\s*))/i.exec(text)?.[0] ??
    "";
  const value = text.slice(named.length);
  return isLiteral(value) ? named + refer(value) : text;
}

/** A variable that holds `value`: the one that does already, or a new one that no other value has. */
function variableFor(value: string, name: string, server: string, secrets: Secrets): string {
  for (const [known, held] of secrets) if (held === value) return known;
  const own = /^[A-Za-z_]\w*$/.test(name) ? name : variableName(name);
  const long = variableName(`${server}_${own}`);
  // 'TOKEN' says too little of whose it is
  let variable = own === "TOKEN" || secrets.has(own) ? long : own;
  for (let number = 2; secrets.has(variable); number++) variable = `${long}_${number}`;
  secrets.set(variable, value);
  return variable;
}
