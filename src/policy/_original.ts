/** Reads the approvals in a policy for CLImax 0.5, which is written in Python, as `confirm`. */

import * as z from "zod";
import type { Translation } from "../files/finding.ts";
import { describeIssues } from "../files/issues.ts";
import { isObject, ownProperty } from "../text/own_property.ts";
import { parseSelector } from "./select.ts";
import { climax } from "../process/own_command.ts";

const key = "require_approval";
const unasked = () =>
  `approve would run calls because no person is there; ${climax()} approve and ${climax()} ui ` +
  "answer from anywhere, and a tool that may run unasked has 'confirm: false'";

const schema = z.object({
  approval: z.strictObject({
    global: z.enum(["none", "destructive", "write", "all"]).default("write"),
    headless: z.string().refine((word) => word === "deny", { error: unasked }).optional(),
    tools: z.record(z.string(), z.boolean()).default({}),
  }),
});

/** Returns the policy with our keys. It serves no more tools, and no constraint is lost. */
export function policyOfOriginal(value: unknown): Translation {
  const { approval, ...policy } = isObject(value) ? value : {};
  const tools = Object.entries(isObject(policy["tools"]) ? policy["tools"] : {});
  const isForeign = tools.some(([, tool]) => ownProperty(tool, key) !== undefined);
  if (approval === undefined && !isForeign) return { value, notes: [] };
  // In CLImax 0.5 every policy asks before what writes, unless it says otherwise
  const written = approval ?? (policy["confirm"] === undefined ? {} : { global: "none" });
  const read = schema.safeParse({ approval: written }, { reportInput: true });
  const { global: asked = "none", tools: overrides = {} } = read.data?.approval ?? {};
  const problems = describeIssues(read.error?.issues ?? [], schema);
  if (approval !== undefined && policy["confirm"] !== undefined) {
    problems.push({ path: ["confirm"], message: "'confirm' and 'approval' are one key" });
  }
  const all = new Map(tools.map(([name, tool]) => {
    const { [key]: own, ...others } = isObject(tool) ? tool : {};
    const says = [own, ownProperty(overrides, name), others["confirm"]];
    const isSaid = says.some((each) => each !== undefined) && (isObject(tool) || tool === null);
    return [name, isSaid ? { ...others, confirm: says.some(Boolean) } : tool];
  }));
  // The nearest key decides alone: a new one would take tools from a glob
  const isBroad = tools.some(([name]) => parseSelector(name).kind !== "name");
  for (const [name, confirm] of Object.entries(overrides)) {
    if (all.has(name)) continue;
    const message = `Another key of 'tools' may be for '${name}': write 'confirm' there`;
    if (isBroad) problems.push({ path: ["approval", "tools", name], message });
    else if (policy["default"] === "enabled") all.set(name, { confirm });
  }
  const confirm = asked === "none" ? {} : { confirm: asked === "all" ? "read" : asked };
  const words = Object.values(confirm).map((effect) => `'confirm: ${effect}', and `);
  const message = `The approvals of CLImax 0.5 are read as ${words}'confirm' of tools`;
  const ours = all.size === 0 ? policy : { ...policy, tools: Object.fromEntries(all) };
  return { value: { ...ours, ...confirm }, notes: [{ path: ["approval"], message }], problems };
}
