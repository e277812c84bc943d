/** Gives a model the tools of one request, runs the calls that the model asks for, and records them. */

import "./llm/quiet_sdk.ts";
import { dynamicTool, jsonSchema, type ToolSet } from "ai";
import type { ToolTable } from "../catalog/tool_table.ts";
import { inputSchema } from "../tool/json_schema.ts";
import { type CallResult, textOf, textResult } from "../tool/result.ts";
import type { ObjectSchema, Tool } from "../tool/tool.ts";
import { type CallRecord, maxOutputLength, maxToolCalls } from "./request.ts";

interface WorkbenchOptions {
  readonly index: ToolTable;
  readonly call: (tool: string, args: unknown) => Promise<CallResult>;
  /** A random text in the tags around the output of a tool, so that the output cannot imitate the closing tag. */
  readonly mark: string;
  readonly redact: (text: string) => string;
  readonly onCall: (tool: string) => void;
}

export class Workbench {
  readonly used = new Set<string>();
  readonly calls: CallRecord[] = [];
  readonly #options: WorkbenchOptions;
  readonly #running = new Set<Promise<unknown>>();
  #calls = 0;

  constructor(options: WorkbenchOptions) {
    this.#options = options;
  }

  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  toolSet(): ToolSet {
    const { index } = this.#options;
    const names = safeNames(index.tools);
    return Object.fromEntries(
      index.tools.map((tool) => [
        names.get(tool.name)!,
        dynamicTool({
          description: tool.description,
          inputSchema: schemaOf(inputSchema(tool)),
          execute: (input) => this.#call(tool.name, input),
        }),
      ]),
    );
  }

  #call(name: string, args: unknown): Promise<string> {
    const { index, call, onCall } = this.#options;
    if (++this.#calls > maxToolCalls) {
      const refusal = `Call refused: this request has made ${maxToolCalls} calls already`;
      return this.#record(name, Promise.resolve(textResult(refusal, true)));
    }
    const tool = index.resolve(name);
    if (tool !== undefined) this.used.add(tool.name);
    onCall(name);
    return this.#record(name, call(name, args));
  }

  async #record(tool: string, running: Promise<CallResult>): Promise<string> {
    const { mark, redact } = this.#options;
    this.#running.add(running);
    const result = await running.finally(() => this.#running.delete(running));
    const { isError } = result;
    this.calls.push({ tool, isError });
    // Secrets are removed before the output is cut, since half a secret would not be recognised. The mark is
    // removed because the output could imitate the closing tag with the mark
    const text = shorten(redact(textOf(result))).replaceAll(mark, "…");
    const kind = isError ? ` failed="true"` : "";
    return `<tool-output-${mark} tool="${tool.replaceAll(/[^\w.:-]/g, "_")}"${kind}>\n${text}\n` +
      `</tool-output-${mark}>`;
  }
}

function shorten(text: string): string {
  if (text.length <= maxOutputLength) return text;
  const half = maxOutputLength / 2;
  const omitted = text.length - maxOutputLength;
  return `${text.slice(0, half).toWellFormed()}\n[${omitted} characters left out]\n` +
    text.slice(-half).toWellFormed();
}

/** Casts a JSON Schema to the narrower type of the AI SDK; arguments are checked when the call runs. */
function schemaOf(schema: ObjectSchema) {
  return jsonSchema<unknown>(schema as Parameters<typeof jsonSchema>[0]);
}

/** Makes names that every provider accepts: a letter or `_`, then up to 63 of `[A-Za-z0-9_-]`. */
function safeNames(tools: readonly Tool[]): Map<string, string> {
  const taken = new Set<string>();
  return new Map(tools.map(({ name }) => {
    const base = name.replace(/[^A-Za-z0-9_-]/g, "_").replace(/^(?=[^A-Za-z_])/, "_").slice(0, 60);
    let safe = base;
    for (let number = 2; taken.has(safe); number++) safe = `${base}_${number}`;
    taken.add(safe);
    return [name, safe];
  }));
}
