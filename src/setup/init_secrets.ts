/** Moves credentials out of a server's entry into environment variables, to which the entry then refers. */

import { sep } from "node:path";
import {
  findCredentials,
  isLiteral,
  namesCredential,
  secretParts,
} from "../sources/upstream/credentials.ts";
import { variableName } from "../sources/upstream/foreign/dialects.ts";
import { expand, homeVariable } from "../files/expand.ts";
import { maskTexts } from "../files/json.ts";
import { homeFolders } from "../process/folders.ts";
import type { ServerFile } from "../sources/upstream/schema.ts";

/** The credentials by the name of their variable; climax writes them to no file. */
export type Secrets = Map<string, string>;

/** Replaces the path of the home folder by a variable, since other people use a project's file too. */
export function withoutHome(server: ServerFile): ServerFile {
  const { home = "" } = homeFolders() ?? {};
  if (home.length < 2) return server;
  return maskTexts(server, (text) => {
    return text.replaceAll(`${home}${sep}`, `$${homeVariable}${sep}`);
  }) as ServerFile;
}

export function moveSecrets(server: ServerFile, secrets: Secrets): ServerFile {
  const moved = structuredClone(server);
  for (const path of findCredentials(server)) {
    const [key, part = ""] = path.map(String) as [keyof ServerFile, string?];
    if (!/^(?:url|command|args|env|headers)$/.test(key)) continue;
    const holder = (part === "" ? moved : moved[key]) as Record<string, string>;
    const at = part || key;
    const name = credentialName(key, part, String(server.args?.[Number(part) - 1] ?? ""));
    holder[at] = replaceSecrets(holder[at]!, name, server.name, secrets);
  }
  return moved;
}

/** Names the variable for a credential: after the variable, header or option that had it, or else TOKEN. */
function credentialName(key: string, part: string, option: string): string {
  if (key === "env") return part;
  if (key === "headers" && !/^authorization$/i.test(part)) return variableName(part);
  return key === "args" && namesCredential(option) ? variableName(option) : "TOKEN";
}

function replaceSecrets(text: string, name: string, server: string, secrets: Secrets): string {
  const refer = (value: string) => `\${${variableFor(value, name, server, secrets)}}`;
  const parts = secretParts(text);
  if (parts.length > 0) {
    return parts.reduce((left, part) => {
      // In a URL with a user and a password, only the password is a secret, and only it is replaced
      const secret = /^:\/\/[^:]+:(.+)@$/.exec(part)?.[1] ?? part;
      return left.replace(secret, () => refer(secret));
    }, text);
  }
  const named = /^(?:(?:Bearer|Basic|Token)\s+|-{0,2}[A-Za-z][\w-]*(?:=|:\s*))/i.exec(text)?.[0] ??
    "";
  const value = text.slice(named.length);
  return isLiteral(value) ? named + refer(value) : text;
}

function variableFor(value: string, name: string, server: string, secrets: Secrets): string {
  for (const [known, other] of secrets) if (other === value) return known;
  const own = /^[A-Za-z_]\w*$/.test(name) ? name : variableName(name);
  const long = variableName(`${server}_${own}`);
  let variable = own === "TOKEN" || secrets.has(own) ? long : own;
  for (let number = 2; secrets.has(variable); number++) variable = `${long}_${number}`;
  secrets.set(variable, expand(value, (each) => `\${${each}}`).text);
  return variable;
}
