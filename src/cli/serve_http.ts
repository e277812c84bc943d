/** Serves configs over HTTP: one catalogue for each policy in use, one semaphore for all. */

import { io } from "../io.ts";
import type { CallContext } from "../call/context.ts";
import { ClimaxError, ExitCode } from "../errors.ts";
import { readTextFile } from "../files/text_file.ts";
import { log, say } from "../log.ts";
import { auditFile } from "../process/environment.ts";
import { dropPermissions } from "../process/permissions.ts";
import { exportsSpans } from "../process/span_export.ts";
import { parseAddress } from "../process/address.ts";
import type { Authenticator, HttpClientIdentity } from "../server/http/client.ts";
import { type Clients, readClients } from "../server/http/clients_file.ts";
import type { HttpLimits } from "../server/http/limits.ts";
import type { Tls } from "../server/http/listener.ts";
import { measuring, Metrics } from "../server/http/metrics.ts";
import { serveMetrics } from "../server/http/metrics_port.ts";
import { type HttpOptions, serveHttp } from "../server/http/serve.ts";
import type { Surface } from "../server/surface.ts";
import type { SharedState } from "../state/shared_state.ts";
import { openSession, type Session, type SessionOptions } from "../session/session.ts";
import { jobsOf } from "./job_limit.ts";
import { openKept } from "./kept.ts";
import { byGroup, openSurface, type ServeOptions } from "./serve_configs.ts";
import type { HttpFlags } from "./http_options.ts";
import { watchClients } from "./watch_clients.ts";

/** Options of serving. */
export interface ServeHttpOptions
  extends Pick<ServeOptions, "classic" | "groups">, Omit<HttpFlags, "http"> {
  readonly http: string;
}

/** Serves until the process gets a signal to end. */
export async function serveConfigsOverHttp(
  sessionOptions: SessionOptions,
  options: ServeHttpOptions,
): Promise<ExitCode> {
  const address = parseAddress(options.http);
  const metricsAddress = options.metrics === undefined ? undefined : parseAddress(options.metrics);
  let clients = options.clients === undefined ? undefined : await readClients(options.clients);
  const authenticator = await authenticatorOf(options, clients);
  const tls = await tlsOf(options);
  const state = await sharedStateOf(options);
  // One store for all: each output has an owner, who alone may read it
  const jobs = jobsOf(sessionOptions.calls);
  const { outputs, close: closeOutputs } = await openKept(jobs, state);
  const shared = { ...sessionOptions, outputs, jobs };
  const sessions = await openSessions(shared, options.clients, clients);
  const metrics = new Metrics(() => jobs.running, state?.store);
  const served = new Map<string | undefined, Served>();
  const serve = async (policy: string, session: Session) => {
    served.set(policy, await servedOf(session, { ...options, watch: shared.watch }, metrics));
  };
  for (const [policy, session] of sessions) await serve(policy, session);
  const watched = shared.watch === false ? undefined : options.clients;
  const unwatch = await watchClients(watched, async (next) => {
    refuseNone(next, options.clients!);
    const [first] = sessions.values();
    for (const policy of next.policies.filter((policy) => !sessions.has(policy))) {
      const session = await openSession({ ...shared, policy, audit: undefined, shared: first });
      sessions.set(policy, session);
      await serve(policy, session);
      session.followSources();
    }
    clients = next;
    // The first one has the audit log of all
    for (const [policy, session] of [...sessions].slice(1)) {
      if (next.policies.includes(policy)) continue;
      sessions.delete(policy);
      served.get(policy)?.unwatch();
      served.delete(policy);
      await session.close();
    }
  });
  // The port is opened, and the issuer asked for its keys, after this
  dropPermissions({ net: "all", write: await writtenBy(sessions) });

  const stopMetrics = metricsAddress === undefined
    ? undefined
    : await serveMetrics(metricsAddress, metrics);
  const { traced } = await tracing();
  await serveHttp({
    address,
    authenticator,
    tls,
    hosts: options.allowHost ?? [],
    origins: options.allowOrigin ?? [],
    drainMs: options.shutdownTimeout === undefined ? undefined : options.shutdownTimeout * 1000,
    surfaceFor: (client) => served.get(policyFor(client, sessionOptions, clients))?.surface,
    onAnswered: (status) => metrics.answered(status),
    traced,
    state,
    limits: limitsOf(options),
    onListening(url) {
      for (const [policy, session] of sessions) {
        session.followSources();
        if (!options.classic) void session.searchByMeaning(served.get(policy)!.context);
      }
      log("info", `listening at ${url}`);
      if (io().stderr.isTerminal()) say(`climax serves MCP at ${url}; Ctrl-C ends it`);
    },
  }, async () => {
    unwatch();
    for (const each of served.values()) each.unwatch();
    await jobs.close();
    await Promise.all(sessions.values().map((session) => session.close()).toArray());
    await closeOutputs();
    state?.store.close();
    await stopMetrics?.();
  });
  return ExitCode.ok;
}

/** The catalogue of the clients with one policy. */
interface Served {
  readonly context: CallContext;
  readonly surface: Surface;
  /** Ends the watch of the groups. */
  unwatch(): void;
}

/** The key of the only policy: it was read already, or there is none. */
const onlyPolicy = "";

function policyFor(
  client: HttpClientIdentity,
  { policy }: SessionOptions,
  clients: Clients | undefined,
): string | undefined {
  if (clients !== undefined) return clients.policyFor(client) ?? "\0";
  return typeof policy === "string" ? policy : onlyPolicy;
}

/** Opens a session for each policy; they share the semaphore and the audit log. */
async function openSessions(
  options: SessionOptions,
  clientsFile: string | undefined,
  clients: Clients | undefined,
): Promise<Map<string, Session>> {
  const { policy } = options;
  if (clients !== undefined) refuseNone(clients, clientsFile!);
  const paths = clients?.policies ?? [typeof policy === "string" ? policy : onlyPolicy];
  const sessions = new Map<string, Session>();
  let first: Session | undefined;
  for (const path of paths) {
    const audit = first === undefined ? options.audit ?? auditFile() : undefined;
    const own = path === onlyPolicy ? policy : path;
    const session = await openSession({
      ...options,
      policy: own,
      audit,
      shared: first,
    });
    first ??= session;
    sessions.set(path, session);
  }
  return sessions;
}

function refuseNone({ policies }: Clients, file: string): void {
  if (policies.length > 0) return;
  const message = "The clients file assigns no policy, so no client could use a tool";
  throw new ClimaxError("Nothing is served", ExitCode.file, [{ file, message }]);
}

/** The on-disk caches of embeddings and tool lists. */
async function writtenBy(sessions: ReadonlyMap<string, Session>): Promise<string[]> {
  const needs = await Promise.all(sessions.values().map((session) => session.permissions()));
  return needs.flatMap(({ write }) => write);
}

async function servedOf(
  session: Session,
  { classic, groups, watch }: ServeHttpOptions & Pick<SessionOptions, "watch">,
  metrics: Metrics,
): Promise<Served> {
  const { context, unwatch } = await byGroup(session, groups, watch);
  const observers = [measuring(context, metrics)];
  const surface = await openSurface(context, { classic, observers });
  return { context, surface, unwatch };
}

async function authenticatorOf(
  { tokens, issuer, audience }: HttpFlags,
  clients: Clients | undefined,
): Promise<Authenticator | undefined> {
  if (tokens !== undefined) {
    const { tokenAuthenticator } = await import("../server/http/tokens.ts");
    return tokenAuthenticator(tokens);
  }
  if (issuer === undefined || audience === undefined) return undefined;
  const { oauthAuthenticator } = await import("../server/http/oauth.ts");
  return await oauthAuthenticator({ issuer, audience, scopes: clients?.scopes ?? [] });
}

async function tlsOf({ tlsCert, tlsKey }: HttpFlags): Promise<Tls | undefined> {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const [cert, key] = await Promise.all([readTextFile(tlsCert), readTextFile(tlsKey)]);
  const problems = [cert, key].flatMap((file) => file.ok ? [] : [file.problem]);
  if (!cert.ok || !key.ok) throw new ClimaxError("TLS was not set up", ExitCode.file, problems);
  return { cert: cert.text, key: key.text };
}

function limitsOf({ clientRequests, clientRate }: HttpFlags): Partial<HttpLimits> {
  return {
    ...(clientRequests === undefined ? {} : { requestsPerClient: clientRequests }),
    ...(clientRate === undefined ? {} : { requestsPerMinute: clientRate }),
  };
}

/** What this instance shares with others, with `--state`. */
async function sharedStateOf(
  { state, signingKey, stateDown }: HttpFlags,
): Promise<SharedState | undefined> {
  if (state === undefined || signingKey === undefined) return undefined;
  const { openSharedState } = await import("../state/shared_state.ts");
  return await openSharedState({ address: state, keys: signingKey, whenDown: stateDown });
}

/** Creates spans of calls, when Deno exports them. */
async function tracing(): Promise<Pick<HttpOptions, "traced">> {
  return exportsSpans() ? await import("../server/http/tracing.ts") : {};
}
