/** MCP servers that others wrote, each with a series of requests whose answers are the same for every client. */

import { join } from "node:path";
import { npmServer, type ServerSketch } from "../../_upstream.ts";

/** One request, with the server's own names. */
export type RealRequest =
  | { readonly tool: string; readonly args?: Record<string, unknown> }
  | { readonly prompt: string; readonly args?: Record<string, string> }
  | { readonly resource: string }
  | { readonly complete: string; readonly of: "prompt" | "resource"; readonly argument: string };

/** The requests in order, of which those of `refused` must fail in whatever words. */
export interface Series {
  readonly requests: readonly RealRequest[];
  readonly refused: readonly RealRequest[];
}

export interface RealServer {
  readonly name: string;
  /** The server as a config names it, whose files are in `dir`. */
  readonly sketch: (dir: string) => Promise<ServerSketch>;
  /** Makes what the requests are about. */
  readonly prepare?: (dir: string) => Promise<void>;
  readonly series: (dir: string) => Series;
}

const everything: RealServer = {
  name: "everything",
  sketch: () => ofNpm("everything"),
  series: () => ({
    requests: [
      { tool: "echo", args: { message: "two\nlines ✓" } },
      { tool: "get-sum", args: { a: 0.1, b: 2 } },
      { tool: "get-tiny-image" },
      { tool: "get-annotated-message", args: { messageType: "error", includeImage: true } },
      { tool: "get-resource-links", args: { count: 3 } },
      { tool: "get-resource-reference", args: { resourceType: "Text", resourceId: 3 } },
      { tool: "get-resource-reference", args: { resourceType: "Blob", resourceId: 4 } },
      // Answered by the server, as an error of the tool
      { tool: "get-resource-reference", args: { resourceType: "Text", resourceId: -1 } },
      { tool: "get-structured-content", args: { location: "Chicago" } },
      { tool: "trigger-long-running-operation", args: { duration: 0.2, steps: 2 } },
      { tool: "gzip-file-as-resource", args: { name: "a.gz", data: "data:text/plain,abc" } },
      {
        tool: "gzip-file-as-resource",
        args: { name: "b.gz", data: "data:text/plain,b", outputType: "resource" },
      },
      { prompt: "simple-prompt" },
      { prompt: "args-prompt", args: { city: "Rome", state: "Lazio" } },
      { prompt: "completable-prompt", args: { department: "Sales", name: "David" } },
      { prompt: "resource-prompt", args: { resourceType: "Text", resourceId: "3" } },
      { resource: "demo://resource/static/document/features.md" },
      { resource: "demo://resource/dynamic/text/7" },
      { resource: "demo://resource/dynamic/blob/7" },
      { resource: "demo://resource/session/a.gz" },
      { complete: "completable-prompt", of: "prompt", argument: "department" },
      {
        complete: "demo://resource/dynamic/text/{resourceId}",
        of: "resource",
        argument: "resourceId",
      },
    ],
    refused: [
      { tool: "nothing" },
      { tool: "echo" },
      { tool: "get-sum", args: { a: "one", b: 2 } },
      { tool: "get-structured-content", args: { location: "Rome" } },
      { prompt: "nothing" },
      { prompt: "args-prompt" },
      { resource: "demo://nothing" },
      { resource: "demo://resource/dynamic/text/none" },
      // Wants to be called as a task of the server
      { tool: "simulate-research-query", args: { topic: "x" } },
    ],
  }),
};

const filesystem: RealServer = {
  name: "filesystem",
  sketch: async (dir) => ({ ...await ofNpm("filesystem"), args: [dir] }),
  async prepare(dir) {
    await Deno.writeTextFile(join(dir, "a.txt"), "one\ntwo\nthree\n");
    await Deno.writeFile(join(dir, "b.png"), Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10]));
    await Deno.mkdir(join(dir, "inner"));
  },
  series(dir) {
    const [a, made, moved] = ["a.txt", "made.txt", "moved.txt"].map((name) => join(dir, name));
    const edits = [{ oldText: "two", newText: "2" }];
    return {
      requests: [
        { tool: "list_allowed_directories" },
        { tool: "read_text_file", args: { path: a } },
        { tool: "read_text_file", args: { path: a, head: 1 } },
        { tool: "read_media_file", args: { path: join(dir, "b.png") } },
        { tool: "read_multiple_files", args: { paths: [a, join(dir, "missing")] } },
        { tool: "write_file", args: { path: made, content: "new\r\n\u{1f600}" } },
        { tool: "read_text_file", args: { path: made } },
        { tool: "edit_file", args: { path: a, edits, dryRun: true } },
        { tool: "edit_file", args: { path: a, edits } },
        { tool: "edit_file", args: { path: a, edits } },
        { tool: "move_file", args: { source: made, destination: moved } },
        { tool: "create_directory", args: { path: join(dir, "inner", "deep") } },
        { tool: "list_directory", args: { path: dir } },
        { tool: "list_directory_with_sizes", args: { path: dir, sortBy: "size" } },
        { tool: "directory_tree", args: { path: dir } },
        { tool: "search_files", args: { path: dir, pattern: "*.txt" } },
        { tool: "read_text_file", args: { path: join(dir, "missing") } },
        { tool: "read_text_file", args: { path: "/etc/hostname" } },
      ],
      refused: [
        { tool: "read_text_file", args: { path: 5 } },
        { tool: "read_multiple_files", args: { paths: [] } },
        { tool: "write_file", args: { path: made } },
      ],
    };
  },
};

export const realServers: readonly RealServer[] = [everything, filesystem];

async function ofNpm(name: "everything" | "filesystem"): Promise<ServerSketch> {
  return { name, transport: "stdio", command: await npmServer(name) };
}
