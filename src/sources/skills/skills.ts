/** Serves the skills in some folders: an entry with digests for each skill, and the files that the entry lists. */

import { dirname, join, relative, resolve } from "node:path";
import { Buffer } from "node:buffer";
import { type SkillCatalog } from "@modelcontextprotocol/server/ext/skills";
import { loadSkills } from "@modelcontextprotocol/server/ext/skills/node";
import { messageOf, type Problem } from "../../errors.ts";
import { isWritable, warnChanged } from "../../exec/writable_folders.ts";
import { systemPath } from "../../io.ts";
import { spellingsOf } from "../../text/uri_spellings.ts";
import { featureName, skillName } from "../../tool/feature.ts";
import { type CallResult, textResult } from "../../tool/result.ts";
import type { Plan } from "../../tool/runner.ts";
import type { Owner, Tool } from "../../tool/tool.ts";
import { canonicalJson } from "../../text/own_property.ts";
import { sha256 } from "../../text/hash.ts";
import type { NamedText } from "../../text/named_text.ts";
import { shellWord } from "../../text/shell_word.ts";
import { Accepted, mayBeForeign, readAccepted, type Thing } from "../../trust/accepted.ts";
import type { FoundFeature } from "../source.ts";
import { climax } from "../../process/own_command.ts";

/** The first part of the addresses of these skills; skills of servers cannot use it. */
const prefix = "climax";
const base = `skill://${prefix}/`;

const owner: Owner = {
  name: "skills",
  description: "Instructions for tasks, as folders with a SKILL.md",
  tags: [],
};

/** A file has at most this many bytes: 16 MiB, the bound of a whole skill (Skills over MCP, limits). */
const maxFileBytes = 16 * 1024 * 1024;

const timeoutMs = 10_000;

type Entry = SkillCatalog["entries"][number];

interface Folder {
  readonly path: string;
  readonly catalog: SkillCatalog;
  /** True if another person may have written the folder: its skills are served only once they are accepted. */
  readonly isForeign: boolean;
}

/** Returns what a person accepts of a skill: its entry, with the digests of all its files. */
function skillThing(path: string, entry: Entry): Thing {
  const part = entry.frontmatter.name;
  return { kind: "skill", path, part, sha256: sha256(canonicalJson(entry)) };
}

interface SkillToAccept {
  readonly thing: Thing;
  readonly files: readonly NamedText[];
}

/** Reads the skills in `folders`, with the texts of all their files, for a person to accept. */
export async function readSkills(folders: readonly string[]): Promise<SkillToAccept[]> {
  const skills = new Skills(() => {});
  await skills.load(folders);
  return await Promise.all(
    skills.all().map(async ({ folder, entry }) => {
      const files = entry.resources === "dynamic" ? [] : entry.resources;
      const texts = files.map(async ({ uri }) => {
        const { content: [content] } = await skills.read(uri, { folder, entry });
        const { resource } = content as { resource?: { text?: string } };
        const file = decodeURIComponent(uri.slice(base.length));
        return { file, text: resource?.text ?? "(not a text)" };
      });
      return { thing: skillThing(folder.path, entry), files: await Promise.all(texts) };
    }),
  );
}

export class Skills {
  readonly #onChange: () => void;
  #folders: Folder[] = [];
  #accepted = new Accepted();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  async load(paths: readonly string[]): Promise<{ tools: Tool[]; warnings: Problem[] }> {
    const warnings: Problem[] = [];
    const folders: Folder[] = [];
    for (const path of paths) {
      const before = isWritable(path)
        ? this.#folders.find((each) => each.path === path)
        : undefined;
      if (before !== undefined) {
        folders.push(before);
        continue;
      }
      const onWarning = ({ path: at, message }: { path: string; message: string }) => {
        warnings.push({ file: join(path, at), message });
      };
      try {
        // The folder or its file may be a link into a folder of another person, so each is checked by itself
        const isForeign = [path, join(path, "SKILL.md")].some(mayBeForeign);
        const catalog = await loadSkills(path, { prefix, onWarning });
        folders.push({ path, isForeign, catalog });
      } catch (error) {
        warnings.push({ file: path, message: `Skills cannot be read: ${messageOf(error)}` });
      }
    }
    this.#folders = folders;
    this.#accepted = await readAccepted();
    const tools = new Map<string, Tool>();
    for (const found of this.all()) {
      const { folder: { path }, entry } = found;
      const tool = skillTool(entry);
      const { name } = entry.frontmatter;
      if (!this.#isServable(found)) {
        const message = `Skill '${name}' is not served: it is new or has changed`;
        const hint = `Read and accept it: ${climax()} trust --all, in ${shellWord(dirname(path))}`;
        warnings.push({ file: path, message, hint });
      } else if (tools.has(tool.name)) {
        const message = `Skill '${name}' is in another folder already`;
        warnings.push({ file: path, message });
      } else tools.set(tool.name, tool);
    }
    return { tools: [...tools.values()], warnings };
  }

  all(): readonly FoundEntry[] {
    return this.#folders.flatMap((folder) => {
      return folder.catalog.entries.map((entry) => ({ folder, entry }));
    });
  }

  #isServable({ folder: { path, isForeign }, entry }: FoundEntry): boolean {
    return !isForeign || this.#accepted.has(skillThing(path, entry));
  }

  /** Finds a file of a skill, listed or not, or the entry of a skill. */
  find(
    name: string,
    args: unknown,
    listed: (name: string) => Tool | undefined,
  ): FoundFeature | undefined {
    const start = featureName("resource", base);
    const own = listed(name);
    if (own?.source.kind === "skill") return { tool: own, args, isUnlisted: false };
    if (name.startsWith(skillName(base))) {
      const tool = listed(featureName("resource", name.slice(skillName("").length)));
      return tool?.source.kind === "skill"
        ? { tool: { ...tool, name }, args: {}, isUnlisted: false }
        : undefined;
    }
    if (!name.startsWith(start)) return undefined;
    const uri = name.slice(featureName("resource", "").length);
    const entry = this.#entryWith(uri)?.entry;
    return entry && { tool: fileTool(uri, entry), args: {}, isUnlisted: true };
  }

  planOf(tool: Tool): Plan {
    const uri = tool.feature!.id;
    const isEntry = tool.name.startsWith(skillName(""));
    const line = `${isEntry ? "skill" : "read"} ${uri}`;
    return {
      ok: true,
      needsPermit: false,
      preview: { record: isEntry ? { skill: uri } : { uri }, line },
      run: async ({ forHost }) => {
        const result = isEntry ? await this.#currentEntry(uri) : await this.read(uri);
        const record = { ending: result.isError ? "not found" : "answered" };
        // A host compares the bytes with a digest, so the result must not be truncated
        return { ...result, record, ...(forHost === true ? { isWhole: true } : {}) };
      },
    };
  }

  #entryWith(uri: string): FoundEntry | undefined {
    return this.all().find((each) => resourceOf(each.entry, uri) && this.#isServable(each));
  }

  /** Returns an entry after reading again the folders that no tool may write: clients ask if a digest is wrong. */
  async #currentEntry(uri: string): Promise<CallResult> {
    let hasChanged = false;
    for (const { path, catalog } of this.#folders) {
      if (isWritable(path)) continue;
      const { added, removed, changed } = await catalog.reload();
      hasChanged ||= added.length + removed.length + changed.length > 0;
    }
    if (hasChanged) this.#onChange();
    const entry = this.all().find((each) => each.entry.uri === uri && this.#isServable(each))
      ?.entry;
    if (entry === undefined) return textResult(`No skill is served at ${uri}`, true);
    return { ...textResult(JSON.stringify(entry)), structured: { skill: entry } as never };
  }

  /** Reads a file of a skill. The entry of the skill must list it, and no link may lead to it. */
  async read(uri: string, found = this.#entryWith(uri)): Promise<CallResult> {
    if (found === undefined) return textResult(`Resource not found: ${uri}`, true);
    const { folder: { path: folder, isForeign }, entry } = found;
    try {
      const root = await Deno.realPath(systemPath(folder));
      const parts = uri.slice(base.length).split("/").map(decodeURIComponent);
      const path = await Deno.realPath(systemPath(resolve(root, ...parts)));
      if (relative(root, path).split(/[\\/]/).join("/") !== parts.join("/")) {
        return textResult(`Resource not found: ${uri}`, true);
      }
      const { isFile, size } = await Deno.stat(systemPath(path));
      if (!isFile || size > maxFileBytes) return textResult(`Resource not found: ${uri}`, true);
      const bytes = await Deno.readFile(systemPath(path));
      const isChanged = `sha256:${sha256(bytes)}` !== resourceOf(entry, uri)?.digest;
      if (isChanged && isForeign) {
        return textResult(`Resource has changed since it was accepted: ${uri}`, true);
      }
      if (isChanged && isWritable(folder)) {
        warnChanged(path);
        return textResult(`Resource not found: ${uri}`, true);
      }
      return contentOf(uri, bytes);
    } catch (error) {
      return textResult(`Resource cannot be read: ${messageOf(error)}`, true);
    }
  }
}

interface FoundEntry {
  readonly folder: Folder;
  readonly entry: Entry;
}

function resourceOf({ resources }: Entry, uri: string) {
  return resources === "dynamic" ? undefined : resources.find((file) => file.uri === uri);
}

/** The media types of files of skills by their ending. Other files are plain text or bytes. */
const types: Readonly<Record<string, string>> = {
  md: "text/markdown",
  json: "application/json",
  yaml: "application/yaml",
  yml: "application/yaml",
  html: "text/html",
  csv: "text/csv",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  svg: "image/svg+xml",
  pdf: "application/pdf",
};

/** Returns a file as text only if the text encodes to the same bytes, since digests are made of bytes. */
function contentOf(uri: string, bytes: Uint8Array): CallResult {
  const text = Buffer.from(bytes).toString("utf8");
  const isText = Buffer.from(text, "utf8").equals(bytes) && !text.includes("\0");
  const mimeType = (types[/\.(\w+)$/.exec(uri)?.[1]?.toLowerCase() ?? ""]) ??
    (isText ? "text/plain" : "application/octet-stream");
  const content = isText ? { text } : { blob: Buffer.from(bytes).toString("base64") };
  const resource = { uri, mimeType, ...content };
  return { content: [{ type: "resource", resource }], isError: false };
}

function skillTool(entry: Entry): Tool {
  const { name, description } = entry.frontmatter;
  return fileTool(entry.uri, entry, {
    listed: { uri: entry.uri, name, description, mimeType: "text/markdown" },
    skill: entry as unknown as Readonly<Record<string, unknown>>,
  });
}

function fileTool(
  uri: string,
  { frontmatter }: Entry,
  { listed = { uri, name: uri }, skill }: {
    readonly listed?: Readonly<Record<string, unknown>>;
    readonly skill?: Readonly<Record<string, unknown>>;
  } = {},
): Tool {
  return {
    name: featureName("resource", uri),
    description: frontmatter.description,
    owner,
    args: [],
    effect: "read",
    examples: [frontmatter.name],
    timeoutMs,
    background: false,
    source: { kind: "skill" },
    feature: {
      kind: "resource",
      id: uri,
      listed,
      alsoNamed: [],
      spellings: spellingsOf(uri).slice(1).map((each) => featureName("resource", each)),
      alsoDenied: [`skills__${frontmatter.name}`],
      ...(skill === undefined ? {} : { skill }),
    },
  };
}
