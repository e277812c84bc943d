/**
 * The bundled psql config against a real server: a query of an agent is run as no role that is, or may
 * become, one that reads the server's files.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { ground } from "../configs/_ground.ts";
import { programOf, say } from "../configs/_programs.ts";
import { type Scratch, scratch, until } from "./_scratch.ts";

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

Deno.test({
  name: "an agent with the config psql becomes no role that reads the files of the server",
  ignore: !hasServer,
  async fn() {
    await using place = await server();
    const admin = ["psql", "-h", place.path, "-U", "postgres", "-v", "ON_ERROR_STOP=1"];
    const roles = "CREATE ROLE app LOGIN; CREATE ROLE weak LOGIN; GRANT postgres TO weak; " +
      "CREATE ROLE demoted LOGIN SUPERUSER; ALTER ROLE demoted SET role = app; " +
      "CREATE ROLE reader LOGIN; GRANT pg_read_server_files TO reader";
    let said = await say([...admin, "-c", roles]);
    // The socket is there before it is answered
    for (let left = 100; said?.code === 2 && left > 0; left--) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      said = await say([...admin, "-c", roles]);
    }
    assert.equal(said?.code, 0, said?.text);
    const steal = "$$SELECT pg_read_file('postgresql.conf')$$";
    for (const user of ["app", "weak", "demoted", "reader", "postgres"]) {
      const env = { PGHOST: place.path, PGUSER: user, PGDATABASE: "postgres" };
      await using agent = await ground(["psql"], {}, env);
      for (const role of ["postgres", "none", "demoted"]) {
        const sql =
          `SELECT set_config('role', '${role}', true), query_to_xml(${steal}, true, true, '')`;
        const text = await agent.call("psql_query", { sql });
        assert.doesNotMatch(text, /listen_addresses/, `${user} as ${role}: ${text}`);
        if (user !== "app") assert.match(text, /no query of an agent is run as it/, user);
      }
      const one = await agent.call("psql_query", { sql: "SELECT 41 + 1 AS sum" });
      assert.equal(/42/.test(one), user === "app", `${user}: ${one}`);
    }
  },
});
