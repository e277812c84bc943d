/**
 * A server with what the scenarios of the official conformance suite call by name, in both eras, over HTTP:
 * the suite is run against it directly and through climax, see bench/conformance.ts. Prints where it listens.
 */

import {
  createMcpHandler,
  inputRequired,
  McpServer,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";

/** A picture of one pixel, and a sound of no length. */
const image =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const audio = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

const object = { type: "object" } as const;
const picture = { type: "image", data: image, mimeType: "image/png" } as const;
const text = (words: string) => ({ type: "text", text: words }) as const;
const embedded = (uri: string, mimeType: string, words: string) => {
  return { type: "resource", resource: { uri, mimeType, text: words } } as const;
};
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

const tools: Record<string, object> = {
  test_simple_text: object,
  test_image_content: object,
  test_audio_content: object,
  test_embedded_resource: object,
  test_multiple_content_types: object,
  test_tool_with_logging: object,
  test_tool_with_progress: object,
  test_error_handling: object,
  test_input_required_result_elicitation: object,
  test_input_required_result_request_state: object,
  test_input_required_result_multi_round: object,
  test_trigger_tool_change: object,
  test_trigger_prompt_change: object,
};

const question = (message: string, name: string, type = "string") => {
  const properties = { [name]: { type } };
  return inputRequired.elicit(
    { message, requestedSchema: { ...object, properties, required: [name] } } as Parameters<
      typeof inputRequired.elicit
    >[0],
  );
};

/** How many tools and prompts were added. */
let added = 0;

type Responses = Record<string, { content?: Record<string, unknown> }> | undefined;

function createServer(): McpServer {
  const mcp = new McpServer({ name: "reference", version: "1.0.0" }, {
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      completions: {},
      logging: {},
    },
  });
  const { server } = mcp;
  server.setRequestHandler("tools/list", () => ({
    tools: Object.entries(tools).map(([name, inputSchema]) => {
      return { name, description: `The tool ${name}`, inputSchema: inputSchema as typeof object };
    }),
  }));
  server.setRequestHandler("tools/call", async ({ params: { name, _meta } }, { mcpReq }) => {
    const responses = mcpReq.inputResponses as Responses;
    const state = mcpReq.requestState<string>();
    switch (name) {
      case "test_image_content":
        return { content: [picture] };
      case "test_audio_content":
        return { content: [{ type: "audio", data: audio, mimeType: "audio/wav" }] };
      case "test_embedded_resource":
        return {
          content: [
            embedded(
              "test://embedded-resource",
              "text/plain",
              "This is an embedded resource content.",
            ),
          ],
        };
      case "test_multiple_content_types":
        return {
          content: [
            text("Multiple content types test:"),
            picture,
            embedded(
              "test://mixed-content-resource",
              "application/json",
              JSON.stringify({ test: "data", value: 123 }),
            ),
          ],
        };
      case "test_tool_with_logging":
        for (const step of ["execution started", "processing data", "execution completed"]) {
          await mcpReq.log("info", `Tool ${step}`);
          await pause();
        }
        return { content: [text("Logged")] };
      case "test_tool_with_progress": {
        const progressToken = _meta?.progressToken;
        for (const progress of [0, 50, 100]) {
          if (progressToken !== undefined) {
            const params = { progressToken, progress, total: 100 };
            await mcpReq.notify({ method: "notifications/progress", params });
          }
          // More seldom than climax passes progress on
          await pause().then(pause).then(pause);
        }
        return { content: [text("Done")] };
      }
      case "test_error_handling":
        return {
          content: [text("This tool intentionally returns an error for testing")],
          isError: true,
        };
      case "test_input_required_result_elicitation": {
        const who = responses?.["user_name"]?.content?.["name"];
        if (who !== undefined) return { content: [text(`Hello, ${who}!`)] };
        return inputRequired({
          inputRequests: { user_name: question("What is your name?", "name") },
        });
      }
      case "test_input_required_result_request_state":
        if (responses?.["confirm"] !== undefined && state === "kept") {
          return { content: [text("state-ok")] };
        }
        return inputRequired({
          inputRequests: { confirm: question("Please confirm", "ok", "boolean") },
          requestState: "kept",
        });
      case "test_input_required_result_multi_round":
        if (responses?.["step2"] !== undefined && state?.startsWith("second")) {
          return { content: [text(`${state} ${responses["step2"].content?.["color"]}`)] };
        }
        if (responses?.["step1"] !== undefined && state === "first") {
          return inputRequired({
            inputRequests: { step2: question("Step 2: What is your favorite color?", "color") },
            requestState: `second ${responses["step1"].content?.["name"]}`,
          });
        }
        return inputRequired({
          inputRequests: { step1: question("Step 1: What is your name?", "name") },
          requestState: "first",
        });
      case "test_trigger_tool_change":
        tools[`test_added_${++added}`] = object;
        handler.notify.toolsChanged();
        return { content: [text("Changed")] };
      case "test_trigger_prompt_change":
        prompts.push({ name: `test_added_${++added}`, description: "Was added" });
        handler.notify.promptsChanged();
        return { content: [text("Changed")] };
      default:
        return { content: [text("This is a simple text response for testing.")] };
    }
  });
  server.setRequestHandler("prompts/list", () => ({ prompts }));
  server.setRequestHandler("prompts/get", ({ params }, { mcpReq }) => {
    const { name, arguments: args = {} } = params;
    const user = (content: unknown) => ({ role: "user", content }) as never;
    switch (name) {
      case "test_prompt_with_arguments":
        return {
          messages: [
            user(text(`Prompt with arguments: arg1='${args["arg1"]}', arg2='${args["arg2"]}'`)),
          ],
        };
      case "test_prompt_with_embedded_resource":
        return {
          messages: [
            user(
              embedded(
                args["resourceUri"]!,
                "text/plain",
                "Embedded resource content for testing.",
              ),
            ),
            user(text("Please process the embedded resource above.")),
          ],
        };
      case "test_prompt_with_image":
        return { messages: [user(picture), user(text("Please analyze the image above."))] };
      case "test_input_required_result_prompt": {
        const responses = mcpReq.inputResponses as Responses;
        const context = responses?.["user_context"]?.content?.["context"];
        if (context !== undefined) return { messages: [user(text(`Context: ${context}`))] };
        return inputRequired({
          inputRequests: {
            user_context: question("What context should the prompt use?", "context"),
          },
        });
      }
      default:
        return { messages: [user(text("This is a simple prompt for testing."))] };
    }
  });
  server.setRequestHandler("resources/list", () => ({
    resources: [
      { uri: "test://static-text", name: "text", mimeType: "text/plain" },
      { uri: "test://static-binary", name: "binary", mimeType: "image/png" },
      { uri: "test://watched-resource", name: "watched", mimeType: "text/plain" },
      { uri: "test://example-resource", name: "example", mimeType: "text/plain" },
    ],
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template" }],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(uri) ?? [];
    if (id !== undefined) {
      const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return { contents: [{ uri, mimeType: "application/json", text: data }] };
    }
    if (uri === "test://static-binary") {
      return { contents: [{ uri, mimeType: "image/png", blob: image }] };
    }
    if (!/static-text|watched|example/.test(uri)) throw new ResourceNotFoundError(uri);
    const words = "This is the content of the static text resource.";
    return { contents: [{ uri, mimeType: "text/plain", text: words }] };
  });
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
  server.setRequestHandler("completion/complete", ({ params: { argument: { value } } }) => {
    const values = ["paris", "park", "party"].filter((each) => each.startsWith(value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
  return mcp;
}

const required = (name: string) => ({ name, description: name, required: true });
const prompts: { name: string; description?: string; arguments?: ReturnType<typeof required>[] }[] =
  [
    { name: "test_simple_prompt", description: "Without arguments" },
    {
      name: "test_prompt_with_arguments",
      description: "With two",
      arguments: [required("arg1"), required("arg2")],
    },
    {
      name: "test_prompt_with_embedded_resource",
      description: "With a resource",
      arguments: [required("resourceUri")],
    },
    { name: "test_prompt_with_image", description: "With an image" },
    { name: "test_input_required_result_prompt", description: "Asks" },
  ];

const handler = createMcpHandler(createServer);
Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) =>
    void Deno.stderr.write(new TextEncoder().encode(`listening at http://127.0.0.1:${port}/mcp\n`)),
}, (request) => {
  const { host } = new URL(request.url);
  const origin = request.headers.get("origin");
  if (!/^(?:localhost|127\.0\.0\.1):\d+$/.test(request.headers.get("host") ?? host)) {
    return new Response(null, { status: 403 });
  }
  if (origin !== null && !/^https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d+)?$/.test(origin)) {
    return new Response(null, { status: 403 });
  }
  return handler.fetch(request);
});
