/** Says what a person must do when a server refuses a call without a login. */

import { climax } from "../../../process/own_command.ts";
import { causesOf } from "../../../errors.ts";
import { io } from "../../../io.ts";
import { clientOfKey } from "../../../process/identity.ts";
import { shellWord } from "../../../text/shell_word.ts";
import type { ServerSpec } from "../spec.ts";

/** The server needs a login. The message is one line, which an agent passes on. */
export class LoginNeededError extends Error {
  override readonly name = "LoginNeededError";
}

/** The {@linkcode LoginNeededError} that caused `error`, if one did. */
export function findLoginNeeded(error: unknown): LoginNeededError | undefined {
  return causesOf(error).find((cause) => cause instanceof LoginNeededError);
}

/** Files that `climax login` finds without `--mcp`, in the current folder. */
const foundFiles: readonly string[] = ["tamamo-x.config.json", ".mcp.json"];

interface LoginCommandOptions {
  /** The key of the client of an HTTP server who logs in; absent: the person who runs climax. */
  readonly person?: string | undefined;
  readonly scopes?: readonly string[];
}

/** Returns the command by which a person logs in to `spec`, in the profile of this work. */
export function loginCommand(
  { name, file }: Pick<ServerSpec, "name" | "file">,
  { person, scopes = [] }: LoginCommandOptions = {},
): string {
  const { profile } = io();
  const words = [
    ...["login", name],
    ...scopes.flatMap((scope) => ["--scope", scope]),
    ...(person === undefined ? [] : wordsOfPerson(person)),
    ...(profile === undefined ? [] : ["--profile", profile]),
    ...(foundFiles.includes(file) ? [] : ["--mcp", file]),
  ];
  return [climax(), ...words.map((word) => shellWord(word))].join(" ");
}

function wordsOfPerson(person: string): string[] {
  const client = clientOfKey(person);
  if (client === undefined) return ["--for", person];
  return ["--for", client.name, `--${client.by}`, client.authority];
}

/** Returns the name of a client by the key of its logins. */
export function personName(person: string): string {
  return clientOfKey(person)?.name ?? person;
}
