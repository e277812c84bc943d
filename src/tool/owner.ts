/** What has tools: a command-line program or an MCP server. */

/** The owner of a tool, a program for example, in search results and summaries. */
export interface Owner {
  readonly name: string;
  /** May be empty. */
  readonly description: string;
  readonly category?: string;
  readonly tags: readonly string[];
  /** Operating systems that have such a program. @default all */
  readonly systems?: readonly ("linux" | "macos" | "windows")[];
  /** True for an MCP server. @default false: a command-line program */
  readonly isServer?: boolean;
  /** True for scripts, which are no program either. */
  readonly isScripts?: boolean;
  /** True for tools of climax itself. */
  readonly isBuiltin?: boolean;
}

/** An owner whose tools are not known, because it does not answer at present. */
export interface AbsentOwner extends Owner {
  /** The beginning of the names of its tools. */
  readonly prefix: string;
  /** The reason, and when it is tried again: a sentence without a period. */
  explain(): string;
  /** Tries it again now, unless it is paused. */
  retry(): void;
}
