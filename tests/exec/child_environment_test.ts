import assert from "node:assert/strict";
import { withVariables } from "../_io.ts";
import {
  childEnvironment,
  environmentOf,
  quietVariables,
  setsLoader,
} from "../../src/exec/child_environment.ts";

/** Calls `use` with exactly these quiet variables in the environment. */
function withQuiet(variables: Readonly<Record<string, string>>, use: () => void): void {
  const names = Object.keys(quietVariables);
  using _set = withVariables(Object.fromEntries(names.map((name) => [name, variables[name]])));
  use();
}

Deno.test("childEnvironment() keeps programs from colouring, paging and asking", () => {
  withQuiet({}, () => {
    assert.deepEqual(childEnvironment({ OTHER: "1" }), {
      NO_COLOR: "1",
      TERM: "dumb",
      GIT_PAGER: "cat",
      PAGER: "cat",
      GIT_TERMINAL_PROMPT: "0",
      OTHER: "1",
    });
  });
});

Deno.test("childEnvironment() sends what is for this machine to no proxy", () => {
  const direct = (no_proxy?: string) => {
    using _ = withVariables({ HTTP_PROXY: "http://proxy:1", no_proxy, NO_PROXY: undefined });
    return childEnvironment({})["NO_PROXY"];
  };
  assert.equal(direct(), "localhost,127.0.0.1,::1");
  assert.equal(direct("example.org"), "example.org,localhost,127.0.0.1,::1");
  assert.equal(direct("*"), "*");
});

Deno.test("childEnvironment() puts the config before everything, also when empty", () => {
  withQuiet({ PAGER: "less", TERM: "xterm" }, () => {
    const env = childEnvironment({ PAGER: "more", GIT_PAGER: "", TERM: "vt100" });
    assert.deepEqual(env, {
      NO_COLOR: "1",
      GIT_TERMINAL_PROMPT: "0",
      PAGER: "more",
      GIT_PAGER: "",
      TERM: "vt100",
    });
  });
});

Deno.test("childEnvironment() takes names such as __proto__ for names", () => {
  withQuiet({}, () => {
    assert.equal(childEnvironment(Object.fromEntries([["toString", "a"]]))["toString"], "a");
    assert.equal(childEnvironment({})["NO_COLOR"], "1");
  });
});

Deno.test("environmentOf() inherits all, or no more than what is named and set", () => {
  using _ = withVariables({ CLIMAX_ONE: "1", CLIMAX_TWO: "2", CLIMAX_NONE: undefined });
  const own = (inherit: readonly string[] | undefined) => {
    const { env, clearEnv } = environmentOf({ CLIMAX_TWO: "own", A: "" }, inherit);
    const { NoDefaultCurrentDirectoryInExePath: _, ...rest } = env!;
    return [rest, clearEnv];
  };
  assert.deepEqual(own(undefined), [{ CLIMAX_TWO: "own", A: "" }, undefined]);
  assert.deepEqual(own([]), [{ CLIMAX_TWO: "own", A: "" }, true]);
  const named = own(["CLIMAX_ONE", "CLIMAX_TWO", "CLIMAX_NONE"]);
  assert.deepEqual(named, [{ CLIMAX_ONE: "1", CLIMAX_TWO: "own", A: "" }, true]);
});

Deno.test("setsLoader() knows the variables of the loader by their beginning", () => {
  const found = ["LD_PRELOAD", "DYLD_X", "OLD_LD_X", "LDX", "PATH"].map((name) =>
    setsLoader({ PATH: "", [name]: "" })
  );
  assert.deepEqual([...found, setsLoader({})], [true, true, false, false, false, false]);
});
