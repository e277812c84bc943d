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
  assert.match(changes.join("\n"), /5 tools that were in no group placed by likeness/);
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
  assert.match(changes.join("\n"), /'Post' loses 1 of its tools: they are gone/);
  assert.match(changes.join("\n"), /'mail_list_attachment' is new: placed in 'Post'/);
});

Deno.test("buildReused() makes new groups where the others are full", async () => {
  const now = serversTools({
    notes: ["page", "tag"],
    mail: ["letter", "folder"],
    git: ["branch", "commit", "stash", "remote", "note", "tag", "hook", "file", "blob", "tree"],
  });
  const { file } = buildReused(now, limits, await edited());
  assert.equal(file.groups.length > 3, true);
  assert.equal(new Set(file.groups.map(({ id }) => id)).size, file.groups.length);
  assert.equal(new Set(file.groups.flatMap((g) => g.tools.map(({ name }) => name))).size, 70);
});

Deno.test("buildProposed() says when it corrects a score and takes a repeated tool out", async () => {
  const [notes, ...rest] = good;
  const odd = [
    { ...notes!, complementarityScore: 7, tools: [...notes!.tools, notes!.tools[0]!] },
    ...rest,
  ];
  const { file, changes } = await build(odd, ["there are problems"]);
  assert.equal(changes[0], "1 repeated tool taken out of 'Notes'");
  assert.match(changes[1]!, /^the score 7 of 'Notes' is not from 0 to 1: it has none instead$/);
  assert.equal(changes.length, 2);
  const found = file.groups.find(({ name }) => name === "Notes");
  assert.equal(found!.complementarityScore, undefined);
});
