/**
 * The bundled psql config against a real server: a query of an agent is run as no role that is, or may
 * become, one that reads the server's files.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { ground } from "../configs/_ground.ts";
import { programOf, say } from "../../configs/_programs.ts";
import { until } from "../../_wait.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";

const hasServer = Deno.build.os !== "windows" &&
  ["initdb", "postgres", "psql"].every((name) => programOf(name) !== undefined);

/** A server without a port, whose superuser is `postgres`; its sockets are in the directory. */
async function server(): Promise<Scratch> {
  const place = await scratch();
  const data = join(place.path, "data");
  // It refuses to run as root
  const isRoot = (await say(["id", "-u"]))?.text.trim() === "0";
  const [user, ...words] = isRoot
    ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    : ["env"];
  await Deno.chmod(place.path, 0o777);
  const made = await say(
    [user!, ...words, "initdb", "-D", data, "-U", "postgres", "-A", "trust"],
    "/",
  );
  assert.equal(made?.code, 0, made?.text);
  const args = [...words, "postgres", "-D", data, "-k", place.path, "-c", "listen_addresses="];
  const options = { args, cwd: "/", stdin: "null", stdout: "null", stderr: "null" } as const;
  const running = new Deno.Command(user!, options).spawn();
  const socket = join(place.path, ".s.PGSQL.5432");
  await until(() => {
    try {
      return Deno.statSync(socket);
    } catch {
      return undefined;
    }
  }, "the server");
  return {
    path: place.path,
    async [Symbol.asyncDispose]() {
      running.kill("SIGQUIT");
      await running.status;
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Has the superuser run `sql`, once the server answers: its socket is there before. */
async function admin({ path }: Scratch, sql: string, database = "postgres"): Promise<void> {
  const words = ["psql", "-h", path, "-U", "postgres", "-d", database, "-v", "ON_ERROR_STOP=1"];
  const said = await until(async () => {
    const said = await say([...words, "-c", sql]);
    // No server is there
    return said?.code !== 2 && said;
  }, "the server");
  assert.equal(said.code, 0, said.text);
}

Deno.test("an agent with the config psql becomes no role that reads the files of the server", {
  ignore: !hasServer,
}, async () => {
  await using place = await server();
  const roles = "CREATE ROLE app LOGIN; CREATE ROLE weak LOGIN; GRANT postgres TO weak; " +
    "CREATE ROLE demoted LOGIN SUPERUSER; ALTER ROLE demoted SET role = app; " +
    "CREATE ROLE reader LOGIN; GRANT pg_read_server_files TO reader";
  await admin(place, roles);
  const read = "SELECT pg_read_file('postgresql.conf')";
  for (const user of ["app", "weak", "demoted", "reader", "postgres"]) {
    const env = { PGHOST: place.path, PGUSER: user, PGDATABASE: "postgres" };
    await using agent = await ground(["psql"], {}, env);
    for (const role of ["postgres", "none", "demoted"]) {
      const taken = `SELECT set_config('role', '${role}', true)`;
      const hidden = `${taken}, query_to_xml($$${read}$$, true, true, '')`;
      assert.match(await agent.call("psql_query", { sql: hidden }), /'_to_xml', which is never/);
      for (const sql of [taken, read, `${taken}, (${read})`]) {
        const text = await agent.call("psql_query", { sql });
        assert.doesNotMatch(text, /listen_addresses/, `${user} as ${role}: ${text}`);
        if (user !== "app") assert.match(text, /no query of an agent is run as it/, user);
      }
    }
    // Functions that end other sessions, or leave something
    for (const name of ["pg_terminate_backend", "PG_CANCEL_BACKEND", 'U&"\\0070g_sleep"']) {
      const sql = `SELECT ${name}(pid) FROM pg_stat_activity`;
      assert.match(await agent.call("psql_query", { sql }), /which is never allowed/);
      assert.match(await agent.call("psql_explain_analyze", { sql }), /which is never allowed/);
    }
    await agent.call("psql_query", { sql: "SELECT lo_create(4242)" });
    const left = "SELECT count(*) FROM pg_largeobject_metadata";
    assert.equal(/\b0\b/.test(await agent.call("psql_query", { sql: left })), user === "app");
    const one = await agent.call("psql_query", { sql: "SELECT 41 + 1 AS sum" });
    assert.equal(/42/.test(one), user === "app", `${user}: ${one}`);
  }
});

Deno.test(
  "a hostile database has the config psql run nothing as a role that reads the server's files",
  { ignore: !hasServer },
  async () => {
    await using place = await server();
    await admin(place, "CREATE ROLE app LOGIN; CREATE ROLE evil LOGIN");
    await admin(place, "CREATE DATABASE d OWNER evil");
    // As its owner may: its own tables in front of those of the system, and views that call functions
    const evil = `SET ROLE evil; ALTER DATABASE d SET search_path = public, pg_catalog;
      CREATE VIEW public.pg_roles AS SELECT false AS rolsuper, 'x'::name AS rolname, 0::oid AS oid;
      CREATE FUNCTION public.pg_has_role(name, oid, text) RETURNS boolean LANGUAGE sql AS 'SELECT false';
      CREATE VIEW public.pg_stat_activity AS SELECT 666 AS pid, NULL::name AS datname,
        NULL::name AS usename, 'not-theirs' AS application_name, '' AS state, '' AS wait_event_type,
        '' AS wait_event, now() AS query_start, 'client backend' AS backend_type;
      CREATE FUNCTION public.steal() RETURNS text LANGUAGE plpgsql AS $$ BEGIN
        RETURN pg_read_file('postgresql.conf'); EXCEPTION WHEN OTHERS THEN RETURN 'no'; END $$;
      CREATE VIEW public.v AS SELECT public.steal() AS a, 42 AS n; GRANT SELECT ON v TO app`;
    await admin(place, "GRANT ALL ON SCHEMA public TO evil", "d");
    await admin(place, evil, "d");
    for (const user of ["postgres", "app"]) {
      const env = { PGHOST: place.path, PGUSER: user, PGDATABASE: "d" };
      await using agent = await ground(["psql"], {}, env);
      const calls: readonly [tool: string, args: Record<string, unknown>][] = [
        ["psql_sample", { table: "v" }],
        ["psql_query", { sql: "SELECT * FROM v" }],
        ["psql_explain_analyze", { sql: "SELECT * FROM v" }],
        ["psql_tables", {}],
        ["psql_describe", { name: "v" }],
        ["psql_functions", {}],
      ];
      for (const [tool, args] of calls) {
        const text = await agent.call(tool, args);
        assert.doesNotMatch(text, /listen_addresses/, `${user}: ${text}`);
        if (tool === "psql_sample") assert.equal(/\b42\b/.test(text), user === "app", text);
      }
      assert.doesNotMatch(await agent.call("psql_activity", {}), /not-theirs/, user);
    }
  },
);
