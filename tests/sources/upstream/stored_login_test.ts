/** The files of logins, and what is said of them. */

import assert from "node:assert/strict";
import { basename, dirname, join } from "node:path";
import { Login, loginKeyOf, secretOf } from "../../../src/sources/upstream/login/login.ts";
import { loginReport, loginWords } from "../../../src/sources/upstream/login/logins.ts";
import {
  loginPath,
  loginsAt,
  loginStamp,
  readLogin,
  removeLogin,
  type StoredLogin,
  withLoginLocked,
  writeLogin,
} from "../../../src/sources/upstream/login/stored_login.ts";
import { withTokens } from "../../../src/sources/upstream/login/token_requests.ts";
import type { ServerSpec } from "../../../src/sources/upstream/spec.ts";
import { unix } from "../../_requirements.ts";
import { specOf } from "../../_upstream.ts";
import { stateFolderOfTest } from "./_login.ts";

const key = { server: "far", address: "https://x/mcp", person: "ada" };
const login: StoredLogin = {
  ...{
    version: 1,
    ...key,
    issuer: "https://i/",
    tokenEndpoint: "https://i/t",
    resource: "https://x",
  },
  ...{ client: { client_id: "c" }, isPreregistered: false },
  ...{ accessToken: "12345678", refreshToken: "refresh" },
};
const { person: _, ...own } = login;

Deno.test("withTokens() keeps how long tokens last, ten years at most", () => {
  const years = 315_360_000;
  for (const [given, kept] of [[1, 1], [years, years], [years + 1, years], [0, NaN]] as const) {
    const tokens = { access_token: "a", token_type: "bearer", expires_in: given };
    assert.equal(withTokens(login, tokens, 500).expires ?? NaN, 500 + kept * 1000);
  }
});

unix.test("a login that cannot be used is refused without a part of it", async () => {
  using _state = stateFolderOfTest();
  await writeLogin(login);
  const path = loginPath(key)!;
  const refusal = async (text: string, mode = 0o600) => {
    await Deno.writeTextFile(path, text);
    await Deno.chmod(path, mode);
    return await readLogin(key).then(() => "used", ({ problems }) => problems[0].message);
  };
  const whole = JSON.stringify(login);
  assert.equal(await refusal(whole), "used");
  assert.equal(await refusal(whole, 0o644), "Other users may read it");
  const wrong = ["{ token", JSON.stringify({ ...login, accessToken: "" })];
  for (const text of wrong) assert.equal(await refusal(text), "This is not a login");
});

unix.test("a login is not written where a link leads", async () => {
  using state = stateFolderOfTest();
  await writeLogin(login);
  const path = loginPath(key)!;
  await Deno.remove(path);
  const target = join(state.path, "target");
  await Deno.writeTextFile(target, "kept");
  await Deno.symlink(target, path);
  await writeLogin(login);
  assert.equal(await Deno.readTextFile(target), "kept");
  assert.deepEqual([(await Deno.lstat(path)).isFile, await readLogin(key)], [true, login]);
});

Deno.test("loginsAt() has the logins of a server by person, and removeLogin() removes one", async () => {
  using _state = stateFolderOfTest();
  assert.deepEqual([await loginsAt("far"), loginStamp(key)], [[], ""]);
  const logins = ["zoe", "ada", undefined].map((person) => {
    return person === undefined ? own : { ...login, person };
  });
  for (const each of [...logins, { ...login, server: "near" }]) await writeLogin(each);
  const path = loginPath(key)!;
  // One of another place, and what is none
  for (const name of ["copy.json", "text"]) await Deno.copyFile(path, join(dirname(path), name));
  const people = async () => (await loginsAt("far")).map(({ person }) => person);
  assert.deepEqual(await people(), [undefined, "ada", "zoe"]);
  const stamp = loginStamp(key);
  assert.notEqual(stamp, "");
  const order: string[] = [];
  let second: Promise<unknown> | undefined;
  await withLoginLocked(key, async () => {
    second = withLoginLocked(key, () => Promise.resolve(order.push("second")));
    for (let time = 0; time < 50; time++) await Deno.stat(path);
    await writeLogin({ ...login, accessToken: "longer" });
    order.push("first");
  });
  await second;
  assert.deepEqual(order, ["first", "second"]);
  assert.notEqual(loginStamp(key), stamp);
  await removeLogin(key);
  await removeLogin(key);
  assert.deepEqual(await people(), [undefined, "zoe"]);
  const file = loginPath({ ...key, person: "zoe" })!;
  await Deno.remove(file);
  await Deno.mkdir(join(file, "full"), { recursive: true });
  await assert.rejects(removeLogin({ ...key, person: "zoe" }));
  const left = [...Deno.readDirSync(dirname(path))].map(({ name }) => name);
  assert.equal(left.some((name) => name.startsWith(basename(path))), false);
});

const expires = Date.UTC(2026, 0, 1);
const at = "2026-01-01T00:00:00Z";
const states: readonly (readonly [more: Partial<StoredLogin>, now: number, words: string])[] = [
  [{ refreshToken: undefined }, 0, "logged in"],
  [{ refreshToken: undefined, expires }, expires - 1, `logged in until ${at}`],
  [{ refreshToken: undefined, expires }, expires, "login has ended"],
  [{ accessToken: undefined, refreshToken: "r" }, 0, "login has ended"],
  [{ refreshToken: "r" }, 0, "logged in, renewed as needed"],
  [{ refreshToken: "r", expires }, expires, "logged in, renewed as needed"],
];

Deno.test("loginWords() says whose login it is, and until when", () => {
  for (const [more, now, words] of states) {
    assert.equal(loginWords({ ...own, ...more } as StoredLogin, now), words);
    const named = words.replace(/logged in|login/, "$& for 'ada'");
    assert.equal(loginWords({ ...login, ...more } as StoredLogin, now), named);
  }
});

Deno.test("loginReport() leaves out logins at another address", async () => {
  using _state = stateFolderOfTest();
  for (const each of [login, own, { ...login, address: "https://y/" }]) await writeLogin(each);
  const report = (url: string) => loginReport(specOf({ name: "far", transport: "http", url }));
  assert.deepEqual((await report(key.address)).toSorted(), [
    "logged in for 'ada', renewed as needed",
    "logged in, renewed as needed",
  ]);
  const program = specOf({ name: "far", transport: "stdio", command: "x" });
  assert.deepEqual(await loginReport(program), []);
});

const web = (headers: Record<string, string> = {}, url = key.address): ServerSpec => {
  return {
    ...specOf({ name: "far", transport: "http", url }),
    transport: { kind: "http", url, headers },
  };
};
const environment = (name: string) => name === "SECRET" ? "s3cret" : undefined;

Deno.test("loginKeyOf() and secretOf() know which servers and clients have what", () => {
  const program = specOf({ name: "far", transport: "stdio", command: "x" });
  const without = [program, web({ authorization: "x" }), web({}, "$NONE")];
  assert.deepEqual(
    without.map((spec) => loginKeyOf(spec, environment)),
    without.map(() => undefined),
  );
  assert.deepEqual(loginKeyOf(web({ other: "x" }), environment, "ada"), key);
  const secret = (isPreregistered: boolean, clientSecret?: string) => {
    const auth = clientSecret === undefined ? {} : { clientSecret };
    return secretOf({ ...login, isPreregistered }, { ...web(), auth }, environment);
  };
  assert.deepEqual([secret(false, "$SECRET"), secret(true), secret(true, "$SECRET")], [
    ...[undefined, undefined, "s3cret"],
  ]);
  assert.throws(() => secret(true, "$NONE"), /a variable that is not set: \$NONE$/);
});

Deno.test("Login has a token until shortly before its end, and masks it", async () => {
  using _state = stateFolderOfTest();
  const peers = new Map<string | undefined, Login>();
  const loginAs = (person?: string) => {
    return Login.of(web(), { environment, person, peers, now: () => expires })!;
  };
  const [ada, operator] = [loginAs("ada"), loginAs()];
  const answer = { text: "12345678 1234567" };
  assert.deepEqual([await ada.token(), ada.hasChanged], [undefined, true]);
  assert.equal(ada.maskText(answer), answer);
  assert.match(operator.loginNeeded().message, /: a person must run: climax login far /);
  assert.match(ada.loginNeeded().message, /: a person who may log in for 'ada' must run: /);
  assert.equal(ada.hasChanged, false);
  const store = (lifetimeMs: number) => {
    return writeLogin({
      ...{
        ...login,
        refreshToken: undefined,
        scope: `a b ${"c".repeat(201)}`,
        expires: expires + lifetimeMs,
      },
      client: { client_id: "c", client_secret: "1234567" },
    });
  };
  await store(5_001);
  assert.deepEqual([ada.hasChanged, await ada.token()], [true, "12345678"]);
  assert.equal(await ada.renew("other"), "12345678");
  await assert.rejects(ada.renew("12345678"), /has a login that has ended/);
  // The tokens of all people are masked, and no short word is
  assert.deepEqual(operator.maskText(answer), { text: "*** 1234567" });
  const wanted = (scopes: readonly string[]) => ada.scopesNeeded(scopes).message;
  assert.match(wanted(["a", "b"]), /refuses rights that its login has \(a b\)/);
  assert.match(wanted(["c".repeat(201)]), /refuses rights that its login has \(c{200}…\)/);
  for (const scopes of [[], ["a", "c"]]) assert.match(wanted(scopes), /wants more rights/);
  const many = Array.from({ length: 25 }, (_, at) => `right${at}`);
  assert.equal(wanted(many).match(/right\d+/g)!.length, 20);
  await store(5_000);
  await assert.rejects(ada.token(), /has a login that has ended/);
});
