/** A config for tests of scripts: a tool that reads, and tools that write. */

export const config = {
  name: "own",
  command: "",
  tools: [
    {
      name: "say",
      command: "echo",
      effect: "read",
      args: [{ name: "word", positional: true, required: true }],
    },
    {
      name: "save",
      command: "echo",
      effect: "write",
      args: [{ name: "word", positional: true, required: true }],
    },
    {
      name: "keep",
      command: "touch",
      effect: "write",
      args: [{ name: "file", positional: true, required: true }],
    },
  ],
};
