/** Reads the address of `--state`, which names a Valkey or Redis with its user, password and database. */

import { UsageError } from "../errors.ts";
import { type Environment, expand } from "../files/expand.ts";
import { log } from "../log.ts";
import { requireVariable } from "../process/environment.ts";
import { percentDecoded } from "../text/uri_spellings.ts";

export interface StateAddress {
  readonly host: string;
  readonly port: number;
  readonly database: number;
  readonly user?: string;
  readonly password?: string;
  readonly isTls: boolean;
  /** The file of the certificate authority of the store (PEM). @default the authorities of the runtime */
  readonly authority?: string;
  readonly shown: string;
}

const form = "valkey://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE], or valkeys://… with TLS";
const defaultPort = 6379;

/** Reads an address, in which `$NAME` is a variable. @throws {UsageError} */
export function readStateAddress(
  text: string,
  environment: Environment = (name) => requireVariable(name) || undefined,
): StateAddress {
  // The text may contain a password, so no error quotes it
  const wrong = (reason: string) => new UsageError(`--state ${reason}`, `Write ${form}`);
  const url = URL.parse(text);
  const scheme = /^(?:valkey|redis)(s?):$/.exec(url?.protocol ?? "");
  if (url === null || scheme === null) throw wrong("must be the address of a Valkey or Redis");
  if (url.hostname === "") throw wrong("must name a host");
  const database = /^\/?(\d{0,4})$/.exec(url.pathname);
  if (database === null) throw wrong("must end with the number of a database, or the port");
  const { ca: authority, ...others } = Object.fromEntries(url.searchParams);
  const [other] = Object.keys(others);
  if (other !== undefined) throw wrong(`must have no parameter but 'ca': found '${other}'`);
  const isTls = scheme[1] === "s";
  if (authority !== undefined && !isTls) throw wrong("must begin with valkeys:// for 'ca'");
  const user = valueOf(url.username, environment);
  const password = valueOf(url.password, environment);
  if (password !== "" && !url.password.includes("$")) {
    const remedy = "Write '$NAME' in its place, in single quotes, and set that variable";
    log("warning", `The password in --state can be read in the list of processes. ${remedy}`);
  }
  const port = Number(url.port || defaultPort);
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    database: Number(database[1]),
    ...user === "" ? {} : { user },
    ...password === "" ? {} : { password },
    isTls,
    ...authority === undefined ? {} : { authority },
    shown: `${url.protocol}//${url.hostname}:${port}`,
  };
}

function valueOf(encoded: string, environment: Environment): string {
  const { text, unset: [unset] } = expand(percentDecoded(encoded), environment);
  if (unset === undefined) return text;
  throw new UsageError(`--state refers to $${unset}, which is not set, or empty`, `Set ${unset}`);
}
