/**
 * What a result costs in tokens (o200k) of ten outputs of programs, whole, within the bound, and as a
 * config selects of it. Everything runs but a cluster and a container engine, see `_walls.ts`.
 */

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { call } from "../src/call/call.ts";
import { findProgram } from "../src/exec/find_program.ts";
import { Outputs } from "../src/jobs/outputs.ts";
import { openSession } from "../src/session/session.ts";
import { textOf } from "../src/tool/result.ts";
import { containerList, podList } from "./_walls.ts";

/** An output, and what a config has of it. */
interface Output {
  readonly output: string;
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string;
  /** Keys of the tool; absent: its text is all there is. */
  readonly tool?: object;
}

const root = fileURLToPath(new URL("..", import.meta.url));

function outputs(place: string): Output[] {
  const lines = {
    output: "jsonl",
    select: {
      items: "$[?@.Action == 'fail' || @.Action == 'skip' || (@.Action == 'pass' && !@.Test)]",
      columns: ["Action", "Package", "Test", "Elapsed"],
    },
  };
  return [
    { output: "git log of 2,000 commits", argv: ["git", "log"], cwd: join(place, "repository") },
    {
      output: "a build log",
      argv: ["deno", "test", "-A", "--no-check", "tests/policy", "tests/text"],
      cwd: root,
    },
    {
      output: "kubectl get pods -o json, 60 pods",
      argv: ["cat", "pods.json"],
      tool: {
        output: "json",
        select: {
          items: "$.items[*]",
          columns: {
            name: "$.metadata.name",
            phase: "$.status.phase",
            ready: "$.status.containerStatuses[*].ready",
            restarts: "$.status.containerStatuses[*].restartCount",
            node: "$.spec.nodeName",
            image: "$.spec.containers[*].image",
          },
        },
      },
    },
    {
      output: "docker inspect, 8 containers",
      argv: ["cat", "containers.json"],
      tool: {
        output: "json",
        select: {
          columns: {
            name: "$.Name",
            image: "$.Config.Image",
            status: "$.State.Status",
            exit_code: "$.State.ExitCode",
            restarts: "$.RestartCount",
            ports: "$.NetworkSettings.Ports",
            networks: "$.NetworkSettings.Networks[*].IPAddress",
            mounts: "$.Mounts[*]['Source', 'Destination']",
          },
        },
      },
    },
    {
      output: "npm ls --global --all --json",
      argv: ["npm", "ls", "--global", "--all", "--json"],
      tool: { output: "json", select: "$" },
    },
    {
      output: "pip inspect",
      argv: ["pip", "inspect"],
      tool: {
        output: "json",
        select: {
          items: "$.installed[*]",
          columns: {
            name: "$.metadata.name",
            version: "$.metadata.version",
            license: "$.metadata.license",
            requires: "$.metadata.requires_dist[*]",
          },
        },
      },
    },
    {
      output: "deno info --json",
      argv: ["deno", "info", "--json", "main.ts"],
      cwd: root,
      tool: { output: "json", select: { items: "$.modules[*]", columns: ["specifier", "size"] } },
    },
    {
      output: "go test -json, JSON lines",
      argv: ["go", "test", "-json", "strings", "bytes", "strconv"],
      tool: lines,
    },
    {
      output: "sqlite3 -csv, 10 columns",
      argv: ["sqlite3", "-csv", "-header", "files.db", "SELECT * FROM files"],
      tool: { output: "csv", select: ["path", "size", "language"] },
    },
    {
      output: "ffprobe -of json",
      argv: ["ffprobe", "-v", "error", "-show_format", "-show_streams", "-of", "json", "film.mp4"],
      tool: {
        output: "json",
        select: {
          items: "$.streams",
          columns: ["index", "codec_type", "codec_name", "width", "height", "duration", "bit_rate"],
        },
      },
    },
  ];
}

async function prepare(place: string): Promise<void> {
  await Deno.writeTextFile(join(place, "pods.json"), podList(60));
  await Deno.writeTextFile(join(place, "containers.json"), containerList(8));
  await Deno.mkdir(join(place, "repository"));
  await run(["git", "init", "--quiet", "repository"], place);
  await run(["git", "fast-import", "--quiet"], join(place, "repository"), commits(2000));
  await run(["git", "reset", "--quiet", "--hard", "main"], join(place, "repository"));
  await run(["sqlite3", "files.db"], place, await fileTable());
  const sources = [
    "-f",
    "lavfi",
    "-i",
    "testsrc=duration=1",
    "-f",
    "lavfi",
    "-i",
    "sine=duration=1",
  ];
  await run(["ffmpeg", "-v", "error", ...sources, "film.mp4"], place);
}

/** Commits as `git fast-import` reads them. */
function commits(count: number): string {
  const areas = ["server", "search", "policy", "docs", "exec", "call"];
  const deeds = [
    "bound what grows",
    "say what was meant",
    "wait for the event",
    "one way to do it",
  ];
  return Array.from({ length: count }, (_, at) => {
    const subject = `fix(${areas[at % 6]}): ${deeds[at % 4]} (${at + 1})`;
    const message = `${subject}\n\nSeen with ${at % 17} clients at once, and gone with this.\n`;
    const who = `Ada Lovelace <ada@example.com> ${1_700_000_000 + at * 3600} +0000`;
    const file = `line ${at}\n`;
    return `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\n` +
      `data ${message.length}\n${message}\nM 100644 inline notes.txt\ndata ${file.length}\n${file}\n`;
  }).join("");
}

/** The files of the repository as a table of ten columns. */
async function fileTable(): Promise<string> {
  const rows: string[] = [];
  for (const folder of ["src/call", "src/cli/commands", "src/exec", "src/server", "src/text"]) {
    for await (const { name, isFile } of Deno.readDir(join(root, folder))) {
      if (!isFile) continue;
      const text = await Deno.readTextFile(join(root, folder, name));
      const path = `${folder}/${name}`;
      const cells = [path, name, folder, text.length, text.split("\n").length, "TypeScript"];
      const more = ["-rw-r--r--", "ada", "staff", "2026-07-01T08:00:00Z"];
      rows.push(`(${[...cells, ...more].map((cell) => `'${cell}'`).join(",")})`);
    }
  }
  const columns = "path,name,folder,size INT,lines INT,language,mode,owner,team,changed";
  return `CREATE TABLE files(${columns}); INSERT INTO files VALUES ${rows.toSorted().join(",")};`;
}

/** What a program prints; nothing where it is not here. */
async function run(argv: readonly [string, ...string[]], cwd: string, input = ""): Promise<string> {
  const [program, ...args] = argv;
  if (await findProgram(program, { env: {} }) === undefined) return "";
  const child = new Deno.Command(program, {
    args,
    cwd,
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  })
    .spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  return new TextDecoder().decode((await child.output()).stdout);
}

/** Rows of a table: the whole, the result without a select, and with one as text and as values. */
export async function selectedTokens(): Promise<string[][]> {
  const place = await Deno.makeTempDir({ prefix: "climax-bench-" });
  try {
    await prepare(place);
    const rows: string[][] = [];
    for (const { output, argv, cwd = place, tool } of outputs(place)) {
      const common = {
        argv: argv.slice(1),
        command: argv[0],
        env: { NO_COLOR: "1" },
        working_dir: cwd,
        timeout: 300,
      };
      const text = { name: "text", ...common };
      const tools = tool === undefined ? [text] : [text, { name: "selected", ...common, ...tool }];
      const config = { name: "bench", command: "", tools };
      const file = { file: "bench.yaml", text: JSON.stringify(config) };
      await using session = await openSession({ configs: [file], outputs: new Outputs() });
      const cost = async (name: string) => {
        const result = await call(session, { tool: name, args: {} });
        const { structured } = result;
        return [textOf(result), structured === undefined ? "" : JSON.stringify(structured)].map(
          (each) => String(countTokens(each)),
        );
      };
      const whole = countTokens(await run(argv, cwd));
      if (whole === 0) {
        rows.push([output, "not here"]);
        continue;
      }
      const [bounded] = await cost("text");
      const [selected, values] = tool === undefined ? ["", ""] : await cost("selected");
      rows.push([output, String(whole), bounded!, selected!, values!]);
    }
    return rows;
  } finally {
    await Deno.remove(place, { recursive: true });
  }
}

/** {@linkcode selectedTokens} as a table. */
export async function selectedTable(): Promise<string> {
  const rows = [
    ["output", "whole", "in the result", "selected", "its values"],
    ...await selectedTokens(),
  ];
  return rows.map((row) =>
    row.map((cell, at) => cell.padEnd(at === 0 ? 36 : 16)).join("").trimEnd()
  )
    .join("\n");
}

if (import.meta.main) {
  Deno.stdout.writeSync(new TextEncoder().encode(`${await selectedTable()}\n`));
}
