/** Which policy holds for whom. */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { IncomingMessage } from "node:http";
import type { Problem } from "../../../src/errors.ts";
import { listProtectedPaths } from "../../../src/process/protected_paths.ts";
import { resetLog, setLogFile } from "../../../src/log.ts";
import { bearerToken, readClients } from "../../../src/server/http/client.ts";
import { isName, newToken, tokenAuthenticator } from "../../../src/server/http/tokens.ts";
import { FakeClock } from "../../_clock.ts";
import { unix } from "../../_requirements.ts";
import { scratch } from "../../e2e/_scratch.ts";

Deno.test("readClients() sees paths from the file, and takes policies by name", async () => {
  await using dir = await scratch();
  const path = join(dir.path, "clients.yaml");
  await Deno.writeTextFile(
    path,
    'clients: { ada: all.yaml }\nscopes: { "a:b": git-readonly }\ndefault: readonly\n',
  );
  const clients = await readClients(path);
  assert.deepEqual(clients.policies, [join(dir.path, "all.yaml"), "git-readonly", "readonly"]);
  // Servers of one policy start before another is read
  assert.equal(listProtectedPaths().get(join(dir.path, "all.yaml")), "read");
  const of = (name: string, ...scopes: string[]) => clients.policyFor({ name, scopes });
  assert.deepEqual(
    [of("ada", "a:b"), of("bob", "c", "a:b"), of("eve")],
    [join(dir.path, "all.yaml"), "git-readonly", "readonly"],
  );
});

Deno.test("readClients() gives nothing to a client that the file does not name, and takes the first scope", async () => {
  await using dir = await scratch({
    "clients.yaml": "clients:\nscopes: { write: readonly, read: git-readonly }\n",
    "wrong.yaml": "clients: { ada: '' }\nusers: {}\n",
    "proto.yaml":
      'clients:\n  ada: readonly\n  "__proto__": readonly\nscopes: { __proto__: a.yaml }\n',
  });
  const clients = await readClients(join(dir.path, "clients.yaml"));
  assert.deepEqual(clients.scopes, ["write", "read"]);
  const of = (...scopes: string[]) => clients.policyFor({ scopes });
  assert.deepEqual([of(), of("other"), of("read", "write")], [undefined, undefined, "readonly"]);
  const problemsOf = async (name: string) => {
    const error = await readClients(join(dir.path, name)).catch((error) => error);
    assert.equal(error.message, "The clients were not read");
    return error.problems.map(({ message, line }: Problem) => `${line}: ${message}`);
  };
  assert.deepEqual(await problemsOf("wrong.yaml"), [
    "1: 'ada': expected the path of a policy, found an empty text",
    "2: Unknown key 'users'",
  ]);
  // The schema would drop it
  assert.deepEqual(await problemsOf("proto.yaml"), [
    "3: '__proto__' cannot have a policy",
    "4: '__proto__' cannot have a policy",
  ]);
  assert.deepEqual(await problemsOf("none.yaml"), ["undefined: File not found"]);
});

const bearers: readonly [header: string | undefined, token: string | undefined][] = [
  [undefined, undefined],
  ["Bearer a.b-c_d~e+f/g==", "a.b-c_d~e+f/g=="],
  ["bearer   a  ", "a"],
  ["Bearer", undefined],
  ["Bearer a b", undefined],
  ["Bearera", undefined],
  ["Basic YTpi", undefined],
  ["x Bearer a", undefined],
  ["Bearer a=b", undefined],
];

for (const [authorization, token] of bearers) {
  Deno.test(`bearerToken() of '${authorization}' is ${token}`, () => {
    assert.equal(bearerToken({ headers: { authorization } } as IncomingMessage), token);
  });
}

const names: readonly [name: string, isName: boolean][] = [
  ["a", true],
  ["0ada@example.org_x-y", true],
  ["a".repeat(64), true],
  ["a".repeat(65), false],
  ["", false],
  ["-a", false],
  ["a b", false],
  ["a\n", false],
  ["ä", false],
];

for (const [name, fits] of names) {
  Deno.test(`isName() ${fits ? "takes" : "refuses"} ${JSON.stringify(name)}`, async () => {
    assert.equal(isName(name), fits);
    if (!fits) await assert.rejects(() => newToken(name), /^TypeError: Not a name for a token/);
  });
}

unix.test("tokenAuthenticator() says that there is no file, or none in it, and how to make one", async () => {
  await using dir = await scratch({ "no tokens": "# none\n" });
  const file = join(dir.path, "a b");
  assert.throws(() => tokenAuthenticator(file), {
    message: "There are no tokens",
    problems: [{
      file,
      message: "Token file cannot be read: No such file or directory",
      hint: `Make it with its first token: climax token new NAME --file '${file}'`,
    }],
  });
  const log = join(dir.path, "log");
  setLogFile(log);
  const { authenticate } = tokenAuthenticator(join(dir.path, "no tokens"));
  resetLog();
  assert.match(await Deno.readTextFile(log), /no tokens has no token: every request is refused/);
  const { token } = await newToken("ada");
  const headers = { authorization: `Bearer ${token}` };
  const refused = await authenticate({ headers } as IncomingMessage);
  assert.ok("reply" in refused && refused.reply.status === 401);
});

Deno.test("tokenAuthenticator() looks at its file once a second, and takes the first of equal tokens", async () => {
  const { token, line } = await newToken("ada");
  assert.match(token, /^climax_[\w-]{43}$/);
  await using dir = await scratch({ tokens: line });
  const file = join(dir.path, "tokens");
  const clock = new FakeClock();
  const { authenticate } = tokenAuthenticator(file, clock);
  const answerTo = async (headers: object) => {
    const answer = await authenticate({ headers } as IncomingMessage);
    return "reply" in answer ? answer.reply.headers?.["www-authenticate"] : answer.name;
  };
  assert.equal(await answerTo({}), "Bearer");
  const authorization = `Bearer ${token}`;
  await Deno.writeTextFile(file, [line.replace("ada", "bob"), line].join("\n"));
  for (const [ms, name] of [[0, "ada"], [999, "ada"], [1, "bob"]] as const) {
    await clock.advance(ms);
    assert.equal(await answerTo({ authorization }), name);
  }
});
