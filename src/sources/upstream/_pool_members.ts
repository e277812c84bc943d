/** The members of a pool, one for each server of the configs, and what may be served of them. */

import { plural } from "../../text/plural.ts";
import { ownProperty } from "../../text/own_property.ts";
import { firstRetryMs, maxAllDefinitionsLength, maxAllFeaturesLength } from "./_bounds.ts";
import type { Listing, ListingCache } from "./listing.ts";
import type { FeatureListing } from "./feature_definition.ts";
import {
  compareWithLock,
  definitionHash,
  explainMoved,
  isMoved,
  type LockComparison,
  type LockedServer,
  type LockFile,
  trustCommand,
} from "./lock.ts";
import { expandTransport, servedPart, type ServerSpec, type TransportSpec } from "./spec.ts";
import type { DefinedServer } from "./tools.ts";
import { protectCommand } from "../../process/protected_paths.ts";
import { type Definition, inMib } from "./definition.ts";
import { errorOf } from "./error.ts";
import { Login, takesLogin } from "./login/login.ts";
import { serverSandbox } from "./_permissions.ts";
import { UpstreamServer, type UpstreamServerOptions } from "./server.ts";

export interface Member {
  spec: ServerSpec;
  lock: LockFile | undefined;
  readonly connections: ServerConnections;
  readonly reached: TransportSpec | undefined;
  /** All definitions of the server, also those that are not accepted. */
  listing: Listing | undefined;
  failure: string | undefined;
  /** The listing is from the server itself, not from the cache. */
  isFresh: boolean;
  /** A person must log in at the server, as `failure` says. */
  needsLogin?: boolean;
  fetching: Promise<void> | undefined;
  askedAgain: boolean;
  retryMs: number;
}

type MemberOptions = Pick<UpstreamServerOptions, "environment" | "clock" | "onListChanged">;

/** Makes a member, which is not connected yet. Without `cache`, nothing is known of the server. */
export async function newMember(
  { spec, lock }: LockedServer,
  cache: ListingCache | undefined,
  options: MemberOptions,
): Promise<Member> {
  const { environment } = options;
  const expanded = expandTransport(spec.transport, environment);
  const reached = expanded.ok ? expanded.value : undefined;
  if (reached?.kind === "stdio") {
    const words = [reached.command, ...reached.args];
    if (reached.sandbox === undefined) protectCommand(words, reached.cwd);
    // The paths of the sandbox are protected from servers that start earlier. The start of this one reports mistakes
    else await serverSandbox(reached.sandbox).catch(() => {});
  }
  const cached = reached && await cache?.read(reached);
  const connections = new ServerConnections(spec, {
    ...options,
    prior: cached?.prior,
    wasSeen: cached !== undefined || ownProperty(lock?.servers, spec.name) !== undefined,
  });
  return {
    spec,
    lock,
    connections,
    reached,
    listing: cached && servedPart(spec, cached),
    failure: undefined,
    isFresh: false,
    fetching: undefined,
    askedAgain: false,
    retryMs: firstRetryMs,
  };
}

/** Says why the tools of a member are not there, and when it is tried again. */
export function describeAbsence({ spec, lock, needsLogin, failure, connections }: Member): string {
  if (isMoved(lock, spec)) {
    return `${explainMoved(spec.name)}; a person accepts it: ${trustCommand(spec)}`;
  }
  return needsLogin && failure !== undefined ? failure : connections.own.absence;
}

/** The state of one server, and the warnings about it. */
export interface ServerState extends Readonly<Required<Known>> {
  readonly comparison: LockComparison | undefined;
  /** The prompts and resources that may be served. */
  readonly features?: FeatureListing | undefined;
  readonly warnings: readonly string[];
  /** The command or address of the server is not the accepted one, so that it is not started. */
  readonly isMoved: boolean;
}

type Known = Pick<Member, "spec" | "lock" | "listing" | "failure" | "needsLogin">;

export function statesOf(members: readonly Known[]): ServerState[] {
  const fitted = withinAll(members.map(({ spec, lock, listing }) => {
    if (isMoved(lock, spec)) return undefined;
    return listing && compareWithLock(lock, spec.name, listing);
  }));
  const features = featuresWithinAll(members.map(({ listing }, at) => {
    return fitted[at]?.comparison.isTrusted ? listing?.features : undefined;
  }));
  return members.map(({ spec, lock, listing, failure, needsLogin = false }, at) => {
    const { comparison, warnings: more = [] } = fitted[at] ?? { comparison: undefined };
    const { features: own, warnings: others } = features[at]!;
    return {
      spec,
      lock,
      listing,
      comparison,
      features: own,
      failure,
      needsLogin,
      warnings: [...listing?.warnings ?? [], ...more, ...others],
      isMoved: isMoved(lock, spec),
    };
  });
}

/** Returns the definitions that may be served, in the order of the configs. */
export function servedDefinitions(states: readonly ServerState[]): DefinedServer[] {
  return states.flatMap(({ spec, comparison, features }) => {
    return comparison === undefined ? [] : [{ spec, ...comparison.listing, features }];
  });
}

/** Says in a few words how the first connection has ended. */
export function outcomeOf({ listing, failure }: Member): string {
  if (failure !== undefined) return "failed";
  return listing === undefined
    ? "has not answered yet"
    : plural(listing.definitions.length, "tool");
}

/** Returns a text that is the same while the definitions that may be served are the same. */
export function digestOf(states: readonly ServerState[]): string {
  return JSON.stringify(
    servedDefinitions(states).map(({ spec, description, definitions, features }) => {
      return [spec.name, description, definitions.map(definitionHash), features];
    }),
  );
}

export function warningTexts(states: readonly ServerState[]): ReadonlySet<string> {
  return new Set(states.flatMap(({ spec, warnings }) => {
    return warnings.map((warning) => `Server '${spec.name}': ${warning}`);
  }));
}

function lengthOf(value: object): number {
  return JSON.stringify(value).length;
}

interface Fitted {
  readonly comparison: LockComparison;
  readonly warnings: readonly string[];
}

/** Takes definitions in order until their bound is reached. */
export function withinAll(all: readonly (LockComparison | undefined)[]): (Fitted | undefined)[] {
  let rest = maxAllDefinitionsLength;
  return all.map((comparison) => {
    if (comparison === undefined) return undefined;
    const { definitions, description } = comparison.listing;
    const fitting: Definition[] = [];
    for (const definition of definitions) {
      const length = lengthOf(definition);
      if (length > rest) break;
      rest -= length;
      fitting.push(definition);
    }
    const missing = definitions.length - fitting.length;
    if (missing === 0) return { comparison, warnings: [] };
    // No definition of a later server may fit in the rest, so that the order decides
    rest = 0;
    const most = inMib(maxAllDefinitionsLength);
    const warning = `${plural(missing, "tool")} left out: the definitions of all servers have ` +
      `over ${most} together`;
    return {
      comparison: { ...comparison, listing: { definitions: fitting, description } },
      warnings: [warning],
    };
  });
}

/** Takes the prompts and resources of whole servers in order until their bound is reached. */
function featuresWithinAll(
  all: readonly (FeatureListing | undefined)[],
): readonly Pick<ServerState, "features" | "warnings">[] {
  let rest = maxAllFeaturesLength;
  return all.map((features) => {
    rest -= features === undefined ? 0 : lengthOf(features);
    if (features === undefined || rest >= 0) return { features, warnings: [] };
    rest = 0;
    const warning = "its prompts and resources are left out: those of all servers have over " +
      `${inMib(maxAllFeaturesLength)} together`;
    return { features: undefined, warnings: [warning] };
  });
}

/** At most this many clients have a connection; the one that was idle longest is closed for another. */
const maxClients = 100;

export class ServerConnections {
  /** The connection of the person who runs climax, over which the tools are listed. */
  readonly own: UpstreamServer;
  readonly #spec: ServerSpec;
  readonly #options: UpstreamServerOptions;
  readonly #login: Login | undefined;
  readonly #logins = new Map<string | undefined, Login>();
  /** The server of each client. The client that called last is at the end. */
  readonly #personal = new Map<string, UpstreamServer>();
  readonly #ending = new Set<Promise<void>>();

  constructor(spec: ServerSpec, options: Omit<UpstreamServerOptions, "login">) {
    this.#spec = spec;
    this.#options = options;
    this.#login = Login.of(spec, { ...options, peers: this.#logins });
    this.own = new UpstreamServer(spec, { ...options, login: this.#login });
  }

  /** False if a request would fail again because there is still no login. */
  get hasOtherLogin(): boolean {
    return this.#login?.hasChanged !== false;
  }

  /** True if each client of the HTTP server has its own login. */
  get isPersonal(): boolean {
    return takesLogin(this.#spec) && this.#spec.auth?.shared !== true;
  }

  /** Returns the server of `owner`, or else of the operator. @throws {UpstreamError} if too many clients are calling */
  of(owner: string | undefined): UpstreamServer {
    if (owner === undefined || !this.isPersonal) return this.own;
    const known = this.#personal.get(owner);
    this.#personal.delete(owner);
    const server = known ?? this.#open(owner);
    this.#personal.set(owner, server);
    return server;
  }

  /** Ends the calls as cancelled and then the connections, since no config has the server any more. */
  async remove(): Promise<void> {
    await Promise.all([this.own, ...this.#personal.values()].map((server) => server.remove()));
  }

  async close(): Promise<void> {
    const servers = [this.own, ...this.#personal.values()];
    await Promise.all([...servers.map((server) => server.close()), ...this.#ending]);
  }

  #open(person: string): UpstreamServer {
    if (this.#personal.size >= maxClients) this.#closeOne();
    const { environment, clock } = this.#options;
    const login = Login.of(this.#spec, { environment, person, peers: this.#logins });
    return new UpstreamServer(this.#spec, {
      environment,
      login,
      ...(clock === undefined ? {} : { clock }),
    });
  }

  #closeOne(): void {
    const idle = [...this.#personal].find(([, server]) => server.isIdle);
    if (idle === undefined) {
      const text = `is called by ${maxClients} clients already, try again later`;
      throw errorOf(this.#spec.name, "refused", text);
    }
    const [person, server] = idle;
    this.#personal.delete(person);
    this.#logins.delete(person);
    const ended = server.close().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}
