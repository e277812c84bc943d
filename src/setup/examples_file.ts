/** Formats the file of model-written requests, for people to read and edit. */

import type { WrittenExamples } from "../catalog/written_examples.ts";
import { LineWriter, scalar } from "./_yaml_lines.ts";

/** Formats the file with tools in alphabetical order, for a clear diff. */
export function formatExamples(written: WrittenExamples): string {
  const out = new LineWriter();
  out.comment("Requests in people's words, written by climax enrich: search counts them.");
  out.comment(
    "Edit them as you like. A tool that changes is asked about again, and its lines replaced.",
  );
  out.line("version: 1");
  out.line(written.size === 0 ? "tools: {}" : "tools:");
  const entries = [...written].toSorted(([a], [b]) => a < b ? -1 : 1);
  for (const [name, { sha256, examples }] of entries) {
    out.line(`  ${scalar(name)}:`);
    out.line(`    sha256: ${JSON.stringify(sha256)}`);
    out.line(examples.length === 0 ? "    examples: []" : "    examples:");
    for (const example of examples) out.line(`      - ${scalar(example)}`);
  }
  return out.text();
}
