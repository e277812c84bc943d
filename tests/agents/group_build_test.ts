import assert from "node:assert/strict";
import { buildOffline, buildProposed, buildReused } from "../../src/agents/group_build.ts";
import type { GroupDraft } from "../../src/agents/group_draft.ts";
import { type GroupsFile, toolHash } from "../../src/agents/groups.ts";
import { serversTools } from "./_group_tools.ts";

const limits = { minToolsPerGroup: 5, maxToolsPerGroup: 20, minGroups: 3, maxGroups: 10 };
const tools = serversTools({ notes: ["page", "tag"], mail: ["letter", "folder"], git: ["branch"] });

async function build(groups: readonly GroupDraft[], problems: readonly string[] = []) {
  const usage = { inputTokens: 1, outputTokens: 1 };
  return await buildProposed(tools, limits, {
    name: "anthropic/claude",
    propose: () => Promise.resolve({ groups, problems, rounds: 1, usage }),
  });
}

function draft(name: string, server: string, rest: Partial<GroupDraft> = {}): GroupDraft {
  return {
    name,
    description: `Takes care of ${name}.`,
    systemPrompt: `You take care of ${name} with your tools.`,
    complementarityScore: 0.9,
    tools: tools.filter(({ owner }) => owner.name === server).map((tool) => tool.name),
    ...rest,
  };
}

const good = [
  draft("Notes", "notes"),
  draft("E-Mail!", "mail"),
  draft("Versionen für alle", "git"),
];

Deno.test("buildProposed() keeps what the model said, under ids that tools can be named by", async () => {
  const { file, changes } = await build(good);
  assert.deepEqual(changes, []);
  assert.deepEqual(file.groups.map(({ id }) => id), ["e_mail", "notes", "versionen_fur_alle"]);
  assert.equal(file.proposedBy, "anthropic/claude");
  const [mail] = file.groups;
  assert.equal(mail!.name, "E-Mail!");
  assert.equal(mail!.tools.length, 10);
  const tool = tools.find(({ name }) => name === mail!.tools[0]!.name)!;
  assert.deepEqual(mail!.tools[0], { name: tool.name, serverName: "mail", hash: toolHash(tool) });
});

Deno.test("buildProposed() mends what is still wrong, and says so", async () => {
  const { file, changes } = await build([good[0]!, good[1]!], ["There are 2 groups"]);
  assert.equal(file.groups.length, 3);
  assert.equal(file.groups.flatMap((group) => group.tools).length, tools.length);
  assert.match(changes.join("\n"), /'Notes' gets git_create_branch/);
});

Deno.test("buildProposed() writes again the texts that a group lacks", async () => {
  const bare = [
    draft("Notes", "notes", { systemPrompt: "" }),
    draft("notes", "mail"),
    draft("Git", "git", { complementarityScore: 7 }),
  ];
  const { file, changes } = await build(bare, ["Two groups are named 'notes'"]);
  assert.equal(new Set(file.groups.map(({ name }) => name.toLowerCase())).size, 3);
  assert.equal(file.groups.every(({ systemPrompt }) => /tool/.test(systemPrompt)), true);
  assert.equal(file.groups.every(({ complementarityScore: score = 0 }) => score <= 1), true);
  assert.match(changes.join("\n"), /the words of '.*' are made up from its tools/);
});

Deno.test("buildProposed() groups by owners when no answer could be read", async () => {
  const { file, changes } = await build([], ["The answer does not fit the schema"]);
  assert.equal(file.proposedBy, "offline");
  assert.equal(file.groups.length, 3);
  assert.match(changes[0]!, /no answer of the model could be read/);
});

Deno.test("buildOffline() refuses a catalogue that is empty, or too large", () => {
  assert.throws(() => buildOffline([], limits), /No groups were made/);
  const many = Array.from({ length: 2001 }, (_, index) => ({ ...tools[0]!, name: `t${index}` }));
  assert.throws(() => buildOffline(many, limits), /No groups were made/);
});

/** A file as a person left it. */
async function edited(): Promise<GroupsFile> {
  const { file } = await build(good);
  const [first, ...rest] = file.groups;
  const metadata = { reviewed: "by me" };
  return { ...file, groups: [{ ...first!, id: "post", name: "Post", metadata }, ...rest] };
}

Deno.test("buildReused() keeps what a person wrote", async () => {
  const kept = await edited();
  const { file, changes, warnings } = buildReused(tools, limits, kept);
  assert.deepEqual([file, changes, warnings], [kept, [], []]);
});

Deno.test("buildReused() removes missing tools and places new ones", async () => {
  const kept = await edited();
  const now = [
    ...tools.filter(({ name }) => name !== "mail_read_letter"),
    ...serversTools({ mail: ["attachment"] }),
  ];
  const { file, changes } = buildReused(now, limits, kept);
  assert.deepEqual(file.groups[0]!.metadata, { reviewed: "by me" });
  assert.equal(file.groups[0]!.tools.length, 14);
  assert.match(changes.join("\n"), /'Post' loses mail_read_letter/);
  assert.match(changes.join("\n"), /'Post' gets .*mail_list_attachment/);
});

Deno.test("buildReused() warns of a group that new tools have made too large", async () => {
  const many = Array.from({ length: 30 }, (_, at) => `thing${at}`);
  const { file, warnings } = buildReused(
    serversTools({ git: ["branch", ...many] }),
    limits,
    await edited(),
  );
  assert.equal(file.groups.flatMap((each) => each.tools).length, 155);
  assert.match(warnings.join("\n"), /has 155 tools, expected 5 to 20/);
});

Deno.test("buildProposed() leaves out a score that is not from 0 to 1", async () => {
  const [notes, ...rest] = good;
  const { file } = await build([{ ...notes!, complementarityScore: 7 }, ...rest]);
  const found = file.groups.find(({ name }) => name === "Notes");
  assert.equal(found!.complementarityScore, undefined);
});
