/** START HERE for logins in calls: gives access tokens without asking a person. One process renews a token for all. */

import { causesOf, ClimaxError } from "../../../errors.ts";
import { type Environment, expand } from "../../../files/expand.ts";
import { maskTexts } from "../../../files/json.ts";
import { log } from "../../../log.ts";
import { inOneLine } from "../../../text/escape.ts";
import { excerpt } from "../../../text/excerpt.ts";
import { expandTransport, type ServerSpec } from "../spec.ts";
import {
  type LoginKey,
  loginStamp,
  readLogin,
  type StoredLogin,
  withLoginLocked,
  writeLogin,
} from "./stored_login.ts";
import { climax } from "../../../process/own_command.ts";
import { io } from "../../../io.ts";
import { clientOfKey } from "../../../process/identity.ts";
import { shellWord } from "../../../text/shell_word.ts";

interface LoginOptions {
  readonly environment: Environment;
  readonly person?: string | undefined;
  /** The logins of all people at the server: it may show their tokens to anybody, so all of them are masked. */
  readonly peers?: Map<string | undefined, Login> | undefined;
  readonly now?: (() => number) | undefined;
}

/** A token is renewed this many milliseconds before its end, so that it holds until the request arrives. */
const leewayMs = 5_000;

/** Secrets with fewer characters are not masked, since ordinary text may have them. */
const minSecretLength = 8;

const maxScopes = 20;

/** Returns whether a person can log in to the server: over HTTP, and no `Authorization` header in the config. */
export function takesLogin({ transport }: Pick<ServerSpec, "transport">): boolean {
  return transport.kind === "http" &&
    !Object.keys(transport.headers).some((name) => name.toLowerCase() === "authorization");
}

/** Returns the key of a login; nothing if the server takes no login, or a variable in its address is not set. */
export function loginKeyOf(
  spec: ServerSpec,
  environment: Environment,
  person?: string,
): LoginKey | undefined {
  const { transport } = spec;
  if (transport.kind !== "http" || !takesLogin(spec)) return undefined;
  const expanded = expandTransport({ ...transport, headers: {} }, environment);
  if (!expanded.ok) return undefined;
  return { server: spec.name, address: expanded.value.url, person };
}

/** @throws {Error} if the config has the client's secret in a variable that is not set */
export function secretOf(
  { isPreregistered }: StoredLogin,
  { auth }: ServerSpec,
  environment: Environment,
): string | undefined {
  if (!isPreregistered || auth?.clientSecret === undefined) return undefined;
  const { text, unset: [variable] } = expand(auth.clientSecret, environment);
  if (variable === undefined) return text;
  throw new Error(`its login needs a variable that is not set: $${variable}`);
}

export class Login {
  readonly #spec: ServerSpec;
  readonly #key: LoginKey;
  readonly #options: LoginOptions;
  readonly #peers: Map<string | undefined, Login>;
  #known: { readonly stamp: string; readonly login: StoredLogin | undefined } | undefined;
  #renewal: Promise<string> | undefined;
  /** The access token before the last renewal, masked too: answers of running calls may still have it. */
  #former: readonly string[] = [];
  /** The state of the login's file when the server last refused it: no retry while the file stays the same. */
  #refused: string | undefined;

  private constructor(spec: ServerSpec, key: LoginKey, options: LoginOptions) {
    this.#spec = spec;
    this.#key = key;
    this.#options = options;
    this.#peers = options.peers ?? new Map();
    this.#peers.set(options.person, this);
  }

  static of(spec: ServerSpec, options: LoginOptions): Login | undefined {
    const key = loginKeyOf(spec, options.environment, options.person);
    return key && new Login(spec, key, options);
  }

  /** The address of the server that the login is for. The token is sent only to its origin. */
  get address(): string {
    return this.#key.address;
  }

  get hasChanged(): boolean {
    return this.#refused === undefined || loginStamp(this.#key) !== this.#refused;
  }

  maskText<T>(value: T): T {
    const secrets = [...this.#peers.values()].flatMap((login) => login.#secrets);
    const mask = (text: string) => secrets.reduce((left, it) => left.replaceAll(it, "***"), text);
    return secrets.length === 0 ? value : maskTexts(value, mask) as T;
  }

  get #secrets(): readonly string[] {
    const { accessToken = "", refreshToken = "", client } = this.#known?.login ?? {};
    return [accessToken, refreshToken, client?.client_secret ?? "", ...this.#former]
      .filter(({ length }) => length >= minSecretLength);
  }

  /** Returns the access token, and renews one that has expired. @throws {LoginNeededError} if the login has ended */
  async token(): Promise<string | undefined> {
    const login = await this.#read();
    if (login === undefined) return undefined;
    return this.#validToken(login) ?? await this.#renewOnce(login.accessToken);
  }

  /** Returns a token other than `rejected`, which the server refused. @throws {LoginNeededError} if there is none */
  async renew(rejected: string): Promise<string> {
    return this.#validToken(await this.#read(), rejected) ?? await this.#renewOnce(rejected);
  }

  loginNeeded(reason = "needs a login"): LoginNeededError {
    this.#refused = loginStamp(this.#key);
    const { person } = this.#options;
    const who = person === undefined ? "" : ` who may log in for '${personName(person)}'`;
    const what = `a person${who} must run: ${loginCommand(this.#spec, { person })}`;
    return new LoginNeededError(`Server '${this.#spec.name}' ${reason}: ${what}`);
  }

  scopesNeeded(scopes: readonly string[]): LoginNeededError {
    this.#refused = loginStamp(this.#key);
    const { person } = this.#options;
    const granted = this.#known?.login?.scope?.split(" ") ?? [];
    const isGranted = scopes.length > 0 && scopes.every((scope) => granted.includes(scope));
    const command = loginCommand(this.#spec, { person, scopes: scopes.slice(0, maxScopes) });
    const text = isGranted
      ? `refuses rights that its login has (${excerpt(scopes.join(" "), 200)}): ` +
        "another login does not change that, and a person must ask who runs the server"
      : `wants more rights than its login has: a person who agrees must run: ${command}`;
    return new LoginNeededError(`Server '${this.#spec.name}' ${text}`);
  }

  async #read(): Promise<StoredLogin | undefined> {
    const stamp = loginStamp(this.#key);
    if (this.#known?.stamp !== stamp) {
      this.#known = { stamp, login: stamp === "" ? undefined : await this.#readFile() };
    }
    return this.#known.login;
  }

  async #readFile(): Promise<StoredLogin | undefined> {
    try {
      return await readLogin(this.#key);
    } catch (error) {
      if (!(error instanceof ClimaxError)) throw error;
      const [{ message } = error] = error.problems;
      throw this.loginNeeded(`has a login that cannot be used (${message})`);
    }
  }

  #validToken(login: StoredLogin | undefined, rejected?: string): string | undefined {
    const { accessToken, expires = Infinity } = login ?? {};
    const isValid = accessToken !== rejected && expires - leewayMs > this.#now();
    return isValid ? accessToken : undefined;
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  #renewOnce(rejected: string | undefined): Promise<string> {
    return this.#renewal ??= withLoginLocked(this.#key, () => this.#renew(rejected))
      .finally(() => this.#renewal = undefined);
  }

  /** Renews the token, unless another process has just done so. The caller must hold the lock of the login. */
  async #renew(rejected: string | undefined): Promise<string> {
    this.#known = undefined;
    const login = await this.#read();
    if (login === undefined) throw this.loginNeeded();
    const valid = this.#validToken(login, rejected);
    if (valid !== undefined) return valid;
    const { accessToken, refreshToken } = login;
    if (refreshToken === undefined) throw this.loginNeeded("has a login that has ended");
    const { refreshTokens } = await import("./token_requests.ts");
    const secret = secretOf(login, this.#spec, this.#options.environment);
    const answer = await refreshTokens(login, secret, this.#now());
    if ("login" in answer) {
      await writeLogin(answer.login);
      this.#former = accessToken === undefined ? [] : [accessToken];
      this.#known = { stamp: loginStamp(this.#key), login: answer.login };
      log("info", `server '${this.#spec.name}': access token renewed`);
      return answer.login.accessToken!;
    }
    if (!answer.isFinal) {
      const reason = excerpt(this.maskText(inOneLine(answer.reason)), 200);
      throw new Error(`its login cannot be renewed at present: ${reason}`);
    }
    const { accessToken: _, refreshToken: __, expires: ___, ...ended } = login;
    await writeLogin(ended);
    throw this.loginNeeded("has a login that has ended or was revoked");
  }
}

/** Says in one line, which an agent can pass on to a person, that a server needs a login. */
class LoginNeededError extends Error {
  override readonly name = "LoginNeededError";
}

export function findLoginNeeded(error: unknown): LoginNeededError | undefined {
  return causesOf(error).find((cause) => cause instanceof LoginNeededError);
}

const foundFiles: readonly string[] = ["climax.json", "tamamo-x.config.json", ".mcp.json"];

/** Returns the command by which a person logs in to a server, with the profile that is served now. */
export function loginCommand(
  { name, file }: Pick<ServerSpec, "name" | "file">,
  { person, scopes = [] }: { person?: string | undefined; scopes?: readonly string[] } = {},
): string {
  const { profile } = io();
  const words = [
    ...["login", name],
    ...scopes.flatMap((scope) => ["--scope", scope]),
    ...person === undefined ? [] : wordsOfPerson(person),
    ...profile === undefined ? [] : ["--profile", profile],
    ...foundFiles.includes(file) ? [] : ["--mcp", file],
  ];
  return [climax(), ...words.map((word) => shellWord(word))].join(" ");
}

function wordsOfPerson(person: string): string[] {
  const client = clientOfKey(person);
  if (client === undefined) return ["--for", person];
  return ["--for", client.name, `--${client.by}`, client.authority];
}

export function personName(person: string): string {
  return clientOfKey(person)?.name ?? person;
}
