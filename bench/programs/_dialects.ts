/**
 * The four protocols in which the programs speak to a model: what a request has for us, and an answer
 * as a stream of events. Only what the programs need to go on; no protocol is met in full.
 */

/** A request to the model. */
export interface Heard {
  /** The tools that it may call, by the names that the client gives them. */
  readonly tools: readonly string[];
  /** What came of the calls it made, in order, as the model is given it. */
  readonly results: readonly string[];
  /** Everything it is told, to look for words in. */
  readonly whole: string;
}

/** What the model answers: one call, a program that makes calls, or words. */
export type Answer =
  | { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly tool: string; readonly program: string }
  | { readonly text: string };

/** A protocol. */
export interface Dialect {
  /** Whether a request to `path` is one for an answer. */
  isFor(path: string): boolean;
  hear(body: Json): Omit<Heard, "whole">;
  /** The events of an answer; `id` is new for each. */
  events(answer: Answer, id: string): readonly Event[];
}

/** An event of a stream: its name, where the protocol has names, and its data. */
type Event = readonly [name: string | undefined, data: unknown];

// deno-lint-ignore no-explicit-any -- Five programs fill it as they like
type Json = any;

function argsOf(answer: Answer): object {
  return "args" in answer ? answer.args : {};
}

/** The text of a content that is a text, or parts of one. */
function textIn(content: Json): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined ? "" : JSON.stringify(content);
  return content.map((part: Json) => part.text ?? JSON.stringify(part)).join("\n");
}

const anthropic: Dialect = {
  isFor: (path) => path.endsWith("/v1/messages"),
  hear: ({ tools = [], messages }) => ({
    tools: tools.map(({ name }: Json) => name),
    results: messages.flatMap(({ content }: Json) => Array.isArray(content) ? content : [])
      .filter(({ type }: Json) => type === "tool_result")
      .map(({ content }: Json) => textIn(content)),
  }),
  events(answer, id) {
    const isCall = "tool" in answer;
    const block = isCall
      ? { type: "tool_use", id: `toolu_${id}`, name: answer.tool, input: {} }
      : { type: "text", text: "" };
    const delta = isCall
      ? { type: "input_json_delta", partial_json: JSON.stringify(argsOf(answer)) }
      : { type: "text_delta", text: answer.text };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: `msg_${id}`, type: "message", role: "assistant", model: "scripted" };
    const stop = { stop_reason: isCall ? "tool_use" : "end_turn", stop_sequence: null };
    const start = { ...message, content: [], stop_reason: null, stop_sequence: null, usage };
    const all = [
      { type: "message_start", message: start },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: stop, usage },
      { type: "message_stop" },
    ];
    return all.map((data) => [data.type, data]);
  },
};

/** OpenAI's Responses; tools of a namespace are called by both names. */
const responses: Dialect = {
  isFor: (path) => path.endsWith("/responses"),
  hear: ({ tools = [], input }) => ({
    tools: [...tools, ...input.flatMap((item: Json) => item.tools ?? [])].flatMap((tool: Json) => {
      return tool.type === "namespace"
        ? tool.tools.map(({ name }: Json) => `${tool.name}/${name}`)
        : [tool.name ?? tool.type];
    }),
    results: input.filter(({ type }: Json) => /^(?:function|custom_tool)_call_output$/.test(type))
      .map(({ output }: Json) => textIn(output)),
  }),
  events(answer, id) {
    const item = "tool" in answer
      ? {
        ...namespaced(answer.tool),
        ...("program" in answer
          ? { type: "custom_tool_call", input: answer.program }
          : { type: "function_call", arguments: JSON.stringify(answer.args) }),
        id: `fc_${id}`,
        call_id: `call_${id}`,
        status: "completed",
      }
      : {
        type: "message",
        id: `msg_${id}`,
        role: "assistant",
        content: [{ type: "output_text", text: answer.text, annotations: [] }],
        status: "completed",
      };
    const response = { id: `resp_${id}`, object: "response" };
    const usage = {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    };
    const done = { ...response, status: "completed", output: [item], usage };
    const all = [
      { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: done },
    ];
    return all.map((data) => [data.type, data]);
  },
};

function namespaced(tool: string): { readonly name: string; readonly namespace?: string } {
  const [name, namespace] = tool.split("/").reverse();
  return { name: name!, ...(namespace === undefined ? {} : { namespace }) };
}

const completions: Dialect = {
  isFor: (path) => path.endsWith("/chat/completions"),
  hear: ({ tools = [], messages }) => ({
    tools: tools.map((tool: Json) => tool.function.name),
    results: messages.filter(({ role }: Json) => role === "tool")
      .map(({ content }: Json) => textIn(content)),
  }),
  events(answer, id) {
    const chunk = { id: `chatcmpl-${id}`, object: "chat.completion.chunk", created: 1, model: "m" };
    const delta = "tool" in answer
      ? {
        role: "assistant",
        content: null,
        tool_calls: [{
          index: 0,
          id: `call_${id}`,
          type: "function",
          function: { name: answer.tool, arguments: JSON.stringify(argsOf(answer)) },
        }],
      }
      : { role: "assistant", content: answer.text };
    const end = { index: 0, delta: {}, finish_reason: "tool" in answer ? "tool_calls" : "stop" };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    return [
      [undefined, { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] }],
      [undefined, { ...chunk, choices: [end], usage }],
      [undefined, "[DONE]"],
    ];
  },
};

const gemini: Dialect = {
  isFor: (path) => path.includes(":streamGenerateContent"),
  hear: ({ tools = [], contents }) => ({
    tools: tools.flatMap((tool: Json) => tool.functionDeclarations ?? [])
      .map(({ name }: Json) => name),
    results: contents.flatMap(({ parts }: Json) => parts)
      .flatMap(({ functionResponse }: Json) =>
        functionResponse === undefined ? [] : [
          functionResponse.response.output ?? textIn(functionResponse.response),
        ]
      ),
  }),
  events(answer) {
    const part = "tool" in answer
      ? { functionCall: { name: answer.tool, args: argsOf(answer) } }
      : { text: answer.text };
    const candidate = { content: { role: "model", parts: [part] }, index: 0, finishReason: "STOP" };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    return [[undefined, { candidates: [candidate], usageMetadata }]];
  },
};

/** Every protocol. */
export const dialects: readonly Dialect[] = [anthropic, responses, completions, gemini];
