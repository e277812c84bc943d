/** The page's files, embedded as text, and the headers that restrict it. */

import html from "./page/index.html" with { type: "text" };
import waitingIcon from "./page/icon-waiting.svg" with { type: "text" };
import icon from "./page/icon.svg" with { type: "text" };
import pageCss from "./page/page.css" with { type: "text" };
import controlsCss from "./page/controls.css" with { type: "text" };
import tablesCss from "./page/tables.css" with { type: "text" };
import viewsCss from "./page/views.css" with { type: "text" };
import main from "./page/main.js" with { type: "text" };
import api from "./page/api.js" with { type: "text" };
import dom from "./page/dom.js" with { type: "text" };
import catalogue from "./page/catalogue.js" with { type: "text" };
import tool from "./page/tool.js" with { type: "text" };
import answer from "./page/answer.js" with { type: "text" };
import output from "./page/output.js" with { type: "text" };
import form from "./page/form.js" with { type: "text" };
import call from "./page/call.js" with { type: "text" };
import activity from "./page/activity.js" with { type: "text" };
import calls from "./page/calls.js" with { type: "text" };
import policy from "./page/policy.js" with { type: "text" };
import waiting from "./page/waiting.js" with { type: "text" };
import costs from "./page/costs.js" with { type: "text" };
import type { HttpReply } from "../server/http/answer.ts";

/** Headers that restrict the browser (Content Security Policy and others). */
export const safeHeaders: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
    "connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

const style = "text/css; charset=utf-8";
const script = "text/javascript; charset=utf-8";

const files: ReadonlyMap<string, readonly [type: string, text: string]> = new Map([
  ["/", ["text/html; charset=utf-8", html]],
  ["/icon.svg", ["image/svg+xml", icon]],
  ["/icon-waiting.svg", ["image/svg+xml", waitingIcon]],
  ["/page.css", [style, pageCss]],
  ["/controls.css", [style, controlsCss]],
  ["/tables.css", [style, tablesCss]],
  ["/views.css", [style, viewsCss]],
  ["/main.js", [script, main]],
  ["/api.js", [script, api]],
  ["/dom.js", [script, dom]],
  ["/catalogue.js", [script, catalogue]],
  ["/tool.js", [script, tool]],
  ["/answer.js", [script, answer]],
  ["/output.js", [script, output]],
  ["/form.js", [script, form]],
  ["/call.js", [script, call]],
  ["/activity.js", [script, activity]],
  ["/calls.js", [script, calls]],
  ["/policy.js", [script, policy]],
  ["/costs.js", [script, costs]],
  ["/waiting.js", [script, waiting]],
]);

/** Returns the file at `path`, if there is one. */
export function pageFile(path: string): HttpReply | undefined {
  // Browsers request it even if the page names none
  if (path === "/favicon.ico") return { status: 204 };
  const file = files.get(path);
  if (file === undefined) return undefined;
  const [type, body] = file;
  return { status: 200, headers: { "content-type": type }, body };
}
