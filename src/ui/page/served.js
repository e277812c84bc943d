/** The line on top: what is served, and under which policy. */

import { el } from "./dom.js";
import { plural } from "./format.js";

/** Names that are listed; more are counted. */
const mostNames = 4;

/** Shows what is served in the header. */
export function showServed({ version, tools, programs, configs, servers, policy, audit }) {
  const sources = [...configs, ...servers];
  const names = sources.length <= mostNames
    ? sources.map(fileName).join(", ")
    : plural(programs.length, "program");
  const line = document.getElementById("served-line");
  line.title = [
    `climax ${version}`,
    `Configs: ${configs.join(", ") || "none"}`,
    `MCP servers: ${servers.join(", ") || "none"}`,
    `Policy: ${policy ?? "none"}`,
    `Audit log: ${audit ?? "none"}`,
  ].join("\n");
  const rule = policy === null
    ? el("span", { class: "tag unknown" }, "no policy")
    : el("a", { class: "tag", href: "#/policy" }, `policy: ${fileName(policy)}`);
  line.replaceChildren(
    el("span", { class: "names" }, `${plural(tools, "tool")} of ${names}`),
    rule,
  );
}

function fileName(path) {
  return path.replace(/^.*[\\/]/, "");
}
