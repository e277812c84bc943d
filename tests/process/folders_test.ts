import assert from "node:assert/strict";
import { homesIn } from "../../src/process/folders.ts";

Deno.test("homesIn() has the homes of root and of people, and of no service", () => {
  const text = "root:x:0:0:root:/root:/bin/sh\nwww:x:33:33::/var/www:/bin/false\n" +
    "ada:x:1000:1000:Ada,,,:/home/ada:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/false\n" +
    "top:x:1001:1001::/:/bin/sh\n\nbroken";
  assert.deepEqual(homesIn(text), ["/root", "/home/ada"]);
});
