/** Whether calls and requests to sub-agents have spans, which Deno's own exporter sends. */

import { log } from "../log.ts";
import { buildForm } from "./build_info.ts";
import { optionalVariable } from "./environment.ts";

/** True if Deno exports spans. A binary has the settings of its build, which are none, and warns. */
export function exportsSpans(): boolean {
  if (optionalVariable("OTEL_DENO") === undefined) return false;
  if (buildForm() !== "binary") return true;
  log("warning", "OTEL_DENO has no effect on a binary: there are spans in the portable form only");
  return false;
}
