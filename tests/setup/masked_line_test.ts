import assert from "node:assert/strict";
import { maskLine } from "../../src/cli/change_file.ts";

/** Lines of configurations, and how they are shown. */
const lines: readonly [line: string, shown: string][] = [
  ['"API_KEY": "hunter2", "PLAIN": "yes"', '"API_KEY": "***", "PLAIN": "yes"'],
  ["API_TOKEN = 'hunter2'", "API_TOKEN = '***'"],
  ['"API_KEY": "${API_KEY}"', '"API_KEY": "${API_KEY}"'],
  [`"args": ["${["sk", "a".repeat(20)].join("-")}"]`, '"args": ["***"]'],
  ['"url": "https://x.org/?token=hunter2"', '"url": "https://x.org/?token=***"'],
  ['  "command": "npx",', '  "command": "npx",'],
];

for (const [line, shown] of lines) {
  Deno.test(`maskedLine() shows ${shown}`, () => assert.equal(maskLine(line), shown));
}
