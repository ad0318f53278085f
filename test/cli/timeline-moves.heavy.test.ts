/** `openclaw-integrity timeline` on a session in which the agent moved: moves, names, and the operator's own moves. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { Continuity, openSqliteStore } from "../../src/continuity/index.ts";
import { contentHash, journalFile, openJournal, type Operation } from "../../src/journal/index.ts";
import { parseRows } from "../../src/store/catalog/parse-rows.ts";
import { CARRYOVER_TYPE, historyOfRows } from "../../src/timetravel/index.ts";
import { timelineIndexFile } from "../../src/timetravel/timeline-index/index.ts";
import { MOVED_TRANSCRIPT, SECRET } from "../timetravel/moves.ts";
import { cli, newSessionFiles, smallPackage, userEnvironment, type Run } from "./fixture.ts";

let openclaw: string;
let stateDir: string;
let file: string;
const timeline = (...args: string[]): Run =>
  cli(["timeline", ...args], newFolder(), { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: stateDir });
beforeAll(async () => {
  openclaw = await smallPackage("2026.2.3");
});
beforeEach(() => {
  const { stateDir: directory, folder } = newSessionFiles();
  stateDir = directory;
  file = join(folder, "moved.jsonl");
  writeFileSync(file, MOVED_TRANSCRIPT);
  writeFileSync(
    join(folder, "sessions.json"),
    JSON.stringify({ "agent:main:main": { sessionId: "moved", updatedAt: 1 } }),
  );
});
const checkpoint = (leafEntryId: string | null, sessionId = "moved", operation: Operation = "manual"): string => {
  const journal = openJournal(journalFile(stateDir));
  const { id } = journal.checkpoints.create({
    sessionId,
    operation,
    messageIndex: 0,
    contentHash: contentHash([]),
    firstEntryId: null,
    leafEntryId,
  });
  journal.close();
  return id;
};

test("log: each departure with what became of it; why one failed may quote what was said, and is shown with --content only", () => {
  const { stdout } = timeline("log", "agent:main:main");
  expect(stdout.replaceAll("2026-11-22 21:20:00 UTC", "T   ").replace(/^time +/, "time  "))
    .toBe(`time  move       by        from -> to
T     moved      agent     r1 -> a1    as n1
T     not moved  agent     r2 -> u1    (--content shows why)
T     not moved  agent     r3 -> u1    the run ended before the move
T     moved      operator  b3 -> b1    as n2
`);
  expect(timeline("log", "moved", "--content").stdout).toContain(`${SECRET} reason`);
  const hash = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
  expect(timeline("log", "moved", "--json").data).toMatchObject({
    ok: true,
    actions: [
      { kind: "DEPARTURE", intentId: "one", from: "r1" },
      { kind: "INCARNATE", carryoverId: "n1", fromHash: hash, toHash: hash, carryoverHash: hash },
      {},
      {},
      {},
      {},
      {},
      {},
    ],
  });
});

test("graph: departures, arrivals, names and checkpoints stand where they are; no word of what was said", () => {
  const id = checkpoint("a1");
  const automatic = checkpoint("u1", "moved", "api_call");
  expect(timeline("mark", "moved", "good", "a1")).toMatchObject({ status: 0, stdout: "good is a1\n" });
  timeline("mark", "moved", "between", "b2");
  expect(timeline("graph", "moved").stdout.replaceAll(" 2026-11-22 21:20", ""))
    .toBe(`youngest first, times in UTC; ◆ the present end, ◇ where a move arrived,
○ the end of a branch that was left, ├─╯ where it was left
◆ b4 assistant  <- continues here
● u4 user     
◇ n2 note       [the operator came from b3]
│ ○ b3 assistant  [the operator left for n2]
│ ● u3 user     
│ ⋮ 2 entries
│ ● b2 assistant  [mark between]
│ ⋮ 2 entries
│ ● k2 assistant
├─╯
● b1 assistant
◇ n1 note       [the agent came from r1]
│ ○ r1 result     [the agent left for n1]
│ ⋮ 1 entry
│ ● u2 user     
├─╯
● a1 assistant  [mark good]  [checkpoint ${id}]
● u1 user     
`);
  // One before every turn and every batch would hide the others.
  for (const name of ["graph", "show"]) {
    expect(timeline(name, "moved").stdout).not.toContain(automatic);
    expect(timeline(name, "moved", "--all").stdout).toContain(`[checkpoint ${automatic}]`);
  }
  const shown = [["graph"], ["show"], ["log"]].flatMap(([name, ...rest]) => [
    timeline(name!, "moved", ...rest),
    timeline(name!, "moved", ...rest, "--json"),
  ]);
  for (const { status, stdout, stderr } of shown)
    expect([status, stdout.includes(SECRET), stderr]).toEqual([0, false, ""]);
  expect(timeline("graph", "moved", "--content").stdout).toContain(`${SECRET} a second question`);
});

test("a refusal names places by id and role, and shows words of messages with --content only", () => {
  const refused = [
    ["mark", "moved", "x", "nowhere"],
    ["mark", "moved", "x", "turn:-99"],
    ["mark", "moved", "x", "turn:soon"],
    ["mark", "moved", "x", "ref:good"],
    ["mark", "moved", "x", ""],
    ["mark", "moved", "good", "k1"],
    ["rewind", "moved", "k1", "--path", openclaw],
  ];
  for (const args of refused) {
    const { status, stdout, stderr } = timeline(...args);
    expect([args, status, `${stdout}${stderr}`.includes(SECRET)]).toEqual([args, 1, false]);
    expect(`${JSON.stringify(timeline(...args, "--json").data)}`).not.toContain(SECRET);
  }
  expect(timeline("mark", "moved", "x", "nowhere").stderr).toContain("b4 (assistant)");
});

test("names: given, moved, listed beside the head and the ends of branches, gone to, and taken away", () => {
  expect(timeline("mark", "moved", "here")).toMatchObject({ status: 0, stdout: "here is b4\n" });
  expect(timeline("mark", "moved", "way", "r1", "--json").data).toMatchObject({
    ok: true,
    node: "r1",
    hash: expect.stringMatching(/^[\da-f]{64}$/) as string,
  });
  expect(timeline("mark", "moved", "here", "way")).toMatchObject({ status: 0, stdout: "here is r1\n" });
  expect(timeline("show", "moved").stdout).toMatch(/\nmarks:\n {2}here {2}r1\n {2}way {2}r1\n$/);
  expect(timeline("show", "moved", "--json").data).toMatchObject({
    branches: [{ id: "b3" }, { id: "r1", refs: ["here", "way"], departures: [{ by: "agent", carryoverId: "n1" }] }],
  });
  expect(timeline("unmark", "moved", "here")).toMatchObject({ status: 0 });
  expect(timeline("unmark", "moved", "here", "--json")).toMatchObject({
    status: 1,
    data: { code: "no-such-reference", message: expect.stringContaining("Names of the session: way.") as string },
  });
});

test("a checkpoint is gone to by its id or its beginning, and left again by the id that is told", () => {
  const id = checkpoint("a1");
  const done = timeline("rewind", "moved", id.slice(0, 8), "--path", openclaw, "--json");
  expect(done).toMatchObject({ status: 0, data: { action: "rewound", targetId: "a1", back: "b4" } });
  expect(timeline("rewind", "moved", id, "--path", openclaw, "--json").data).toMatchObject({ action: "already" });
  expect(timeline("rewind", "moved", "b4", "--path", openclaw, "--json").data).toMatchObject({ action: "rewound" });
});

test("bad input is refused with what to do, and nothing is kept of it", () => {
  const other = checkpoint("a1", "another");
  const cases: readonly (readonly [readonly string[], string, string])[] = [
    [["mark", "moved", "@head"], "bad-name", "is none of head"],
    [["mark", "moved", "good", "k1"], "not-closed", "r1"],
    [["mark", "moved", "good", "root"], "bad-target", "root"],
    [["mark", "moved", "good", "unknown"], "no-such-node", 'found "unknown"'],
    [["mark", "moved", "x", other], "no-such-node", "a place of this session"],
    [["rewind", "moved", "nowhere", "--path", openclaw], "no-such-node", '"nowhere"'],
    [["rewind", "moved", "a1", "--note", "x".repeat(8001), "--path", openclaw], "bad-carryover", "8000"],
    [["rewind", "nosession", "a1", "--path", openclaw], "session-missing", "nosession"],
  ];
  for (const [args, code, words] of cases)
    expect(timeline(...args, "--json")).toMatchObject({
      status: 1,
      data: { ok: false, code, message: expect.stringContaining(words) as string },
    });
  expect(timeline("show", "moved", "--json").data).toMatchObject({ marks: [] });
  expect(readFileSync(file, "utf8")).toBe(MOVED_TRANSCRIPT);
});

test("what was named and has changed since is not taken for what it was", () => {
  timeline("mark", "moved", "good", "a1");
  writeFileSync(file, MOVED_TRANSCRIPT.replace(`${SECRET} a question`, "[redacted]"));
  expect(timeline("show", "moved").stdout).toContain(
    "its place is not in this session, or has changed since it was named",
  );
  expect(timeline("rewind", "moved", "good", "--path", openclaw, "--json")).toMatchObject({
    status: 1,
    data: { code: "no-such-reference", message: expect.stringContaining("was changed since") as string },
  });
});

test("an index that is damaged costs its names and nothing else, and reindex puts it away; one of a later version stays", () => {
  expect(timeline("graph", "moved").status).toBe(0);
  expect(existsSync(timelineIndexFile(stateDir)), "a look made an index").toBe(false);
  timeline("mark", "moved", "good", "a1");
  expect(timeline("reindex")).toMatchObject({ status: 0, stderr: "" });
  expect(timeline("reindex", "moved").stdout).toBe("rebuilt: 18 nodes, 8 actions\n");
  expect(timeline("show", "moved", "--json").data).toMatchObject({ marks: [{ name: "good", node: "a1" }] });
  writeFileSync(timelineIndexFile(stateDir), "no database, by no means whatever it is".repeat(100));
  expect(timeline("show", "moved")).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("b4  assistant") as string,
    stderr: expect.stringContaining("names of places are not shown: expected a timeline index") as string,
  });
  expect(timeline("mark", "moved", "good", "a1", "--json")).toMatchObject({ status: 1, data: { code: "damaged" } });
  expect(timeline("reindex", "--json")).toMatchObject({
    status: 0,
    data: {
      setAside: expect.stringContaining(".damaged-") as string,
      warnings: [expect.stringContaining("names") as string],
    },
  });
  expect(timeline("mark", "moved", "good", "a1").status).toBe(0);
});

test("rewind: one row is appended that says who did it, the departure stays, twice is a no-op, and it can be taken back", () => {
  const rewind = (...args: string[]): Run => timeline("rewind", "agent:main:main", ...args, "--path", openclaw);
  expect(rewind("turn:-1", "--dry-run").stdout).toBe(`conversation agent:main:main would continue from turn:-1 (n2)
  messages that would be no longer part of it: 2 (they stay stored)
  to undo it afterwards:
    openclaw-integrity timeline rewind --path ${openclaw} moved b4
  nothing was changed
`);
  expect(readFileSync(file, "utf8")).toBe(MOVED_TRANSCRIPT);
  const done = rewind("r1", "--note", "use the first way", "--json");
  expect(done).toMatchObject({
    status: 0,
    data: {
      ok: true,
      action: "rewound",
      targetId: "r1",
      departureId: "b4",
      back: "b4",
      messagesLeft: 3,
      messagesBack: 3,
    },
  });
  expect(rewind("r1", "--json")).toMatchObject({ status: 0, data: { action: "already" } });
  const written = readFileSync(file, "utf8");
  expect(written.startsWith(MOVED_TRANSCRIPT)).toBe(true);
  const rows = parseRows(written.slice(MOVED_TRANSCRIPT.length)).rows as Record<string, unknown>[];
  expect(rows).toMatchObject([
    {
      type: "custom_message",
      customType: CARRYOVER_TYPE,
      parentId: "r1",
      display: true,
      details: { departureId: "b4", targetId: "r1", by: "operator" },
    },
  ]);
  expect(rows[0]!["content"]).toMatch(/^\[The operator took the conversation back to this point.*use the first way$/s);
  expect(timeline("log", "moved").stdout.trimEnd().split("\n").at(-1)).toMatch(/moved {6}operator {2}b4 -> r1 {4}as /);

  expect(rewind("b4", "--json")).toMatchObject({ status: 0, data: { action: "rewound", messagesBack: 3 } });
  const history = historyOfRows(parseRows(readFileSync(file, "utf8")).rows);
  expect(history.path().at(-2)?.id).toBe("b4");
  expect(rewind("root", "--json")).toMatchObject({ status: 0, data: { action: "rewound", targetId: null } });
  // A run that works on it holds OpenClaw's lock.
  writeFileSync(`${file}.lock`, JSON.stringify({ pid: process.pid, createdAt: new Date().toISOString() }));
  expect(rewind("a1", "--json")).toMatchObject({ status: 1, data: { code: "session-busy" } });
});

test("rewind: the agent is told what it has recorded since, and where the work stands; what cannot be read is a warning", async () => {
  const continuity = new Continuity({ store: openSqliteStore({ file: join(stateDir, "work.sqlite") }) });
  const project = (await continuity.project("agent:main:main")).as({ entry: "openclaw", name: "agent:main:main" });
  const { goal_id } = await project.createGoal({ text: "Pay the plumber" });
  const { task_id } = await project.addTask({ goal_id, title: "Get the invoice" });
  await project.addTask({ goal_id, title: "Transfer the money" });
  await project.startTask({ task_id });
  await project.completeTask({ task_id });
  await continuity.close();
  const call = { type: "toolCall", id: "c9", name: "continuity_update_task", arguments: { task_id, status: "done" } };
  const message = { role: "assistant", content: [call], stopReason: "toolUse" };
  appendFileSync(file, `${JSON.stringify({ type: "message", id: "k9", parentId: "b4", message })}\n`);
  const configured = (config: object): void =>
    writeFileSync(
      join(stateDir, "openclaw.json"),
      JSON.stringify({ plugins: { entries: { "clawos-l0": { config: { continuity: config } } } } }),
    );
  const rewind = (place: string): Run =>
    timeline("rewind", "agent:main:main", place, "--path", openclaw, "--dry-run", "--json");
  const toldAt = (place: string): string => {
    const { status, data } = timeline("rewind", "agent:main:main", place, "--path", openclaw, "--json");
    expect([status, data]).toEqual([0, expect.objectContaining({ action: "rewound", warnings: [] })]);
    return String(
      parseRows(readFileSync(file, "utf8"))
        .rows.map((row) => (row as { content?: unknown }).content)
        .at(-1),
    );
  };
  configured({ enabled: false, file: "work.sqlite" });
  expect(toldAt("b4")).not.toContain("ecorded work");
  configured({ enabled: true, file: "missing.sqlite" });
  expect(toldAt("b3")).not.toContain("ecorded work");
  configured({ enabled: true, file: "work.sqlite" });
  const told = toldAt("b4");
  expect(told).toContain(`> - task ${task_id}, "Get the invoice": done\n`);
  expect(told).toContain('> Next step: "Transfer the money"');
  configured({ enabled: true, file: "moved" });
  writeFileSync(join(stateDir, "moved"), "no database");
  expect(rewind("a1")).toMatchObject({
    status: 0,
    data: { warnings: [expect.stringContaining("recorded work could not be read: ") as string] },
  });
});

test("rewind: who is on the machine names a session by its file too, which no chat may", () => {
  const done = timeline("rewind", file, "a1", "--path", openclaw, "--json");
  expect(done).toMatchObject({ status: 0, data: { ok: true, action: "rewound", sessionId: "moved", targetId: "a1" } });
});

test("rewind: what the user said since and was not answered is behind the conversation, and is not brought back by the patch", () => {
  const journal = openJournal(journalFile(stateDir));
  journal.unanswered.note({
    sessionId: "moved",
    entryId: "u4",
    parentId: "n2",
    message: { role: "user", content: "and now?" },
  });
  journal.close();
  expect(timeline("rewind", "moved", "a1", "--path", openclaw).status).toBe(0);
  const after = openJournal(journalFile(stateDir));
  expect(after.unanswered.list("moved")).toEqual([]);
  after.close();
});
