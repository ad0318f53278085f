/** `openclaw-integrity timeline rewind --files` and `timeline files` on a session whose agent changed files. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { CARRYOVER_TYPE } from "../../src/timetravel/index.ts";
import { WorkspaceStore } from "../../src/workspace/index.ts";
import { blobId } from "../../src/workspace/git/trees.ts";
import { changedTree } from "../../src/workspace/git/write-tree.ts";
import { MOVED_TRANSCRIPT, SECRET } from "../timetravel/moves.ts";
import { cli, newSessionFiles, smallPackage, userEnvironment, type Run } from "./fixture.ts";

let openclaw: string;
let stateDir: string;
let workspace: string;
const timeline = (...args: string[]): Run =>
  cli(["timeline", ...args], newFolder(), { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: stateDir });
const rewind = (...args: string[]): Run => timeline("rewind", "agent:main:main", ...args, "--path", openclaw);
const at = (name: string): string => join(workspace, name);
const read = (name: string): string | undefined => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : undefined);

beforeAll(async () => {
  openclaw = await smallPackage("2026.2.3");
});
beforeEach(async () => {
  const { stateDir: directory, folder } = newSessionFiles();
  stateDir = directory;
  writeFileSync(join(folder, "moved.jsonl"), MOVED_TRANSCRIPT);
  writeFileSync(
    join(folder, "sessions.json"),
    JSON.stringify({ "agent:main:main": { sessionId: "moved", updatedAt: 1 } }),
  );
  workspace = join(newFolder(), "work");
  mkdirSync(workspace);
  writeFileSync(at("notes.md"), "one\n");
  // A batch of the agent's at b4, the end of the conversation.
  const store = WorkspaceStore.at(stateDir, workspace);
  await store.use(async ({ records, capture }) => {
    const id = records.begin({ sessionId: "moved", sessionKey: "agent:main:main" }, (await capture()).tree);
    writeFileSync(at("notes.md"), "two\n");
    writeFileSync(at("created.md"), "new\n");
    records.end(id, (await capture()).tree, "entry:b4");
  });
});

test("graph and show: where files changed and work was recorded stands beside what was said, without a word of it", () => {
  const transcript = join(stateDir, "agents/main/sessions/moved.jsonl");
  const result = (id: string, parentId: string, tool: string, more: object): string => {
    const call = { type: "toolCall", id: `c-${id}`, name: tool, arguments: {} };
    const rows = [
      { type: "message", id: `k-${id}`, parentId, message: { role: "assistant", content: [call] } },
      {
        type: "message",
        id,
        parentId: `k-${id}`,
        message: { role: "toolResult", toolCallId: call.id, toolName: tool, content: [], isError: false, ...more },
      },
    ];
    return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  };
  appendFileSync(
    transcript,
    result("done", "b4", "continuity_update_task", { details: { task_id: "t", status: "done" } }) +
      result("seen", "done", "continuity_get_work", { details: { status: "done" } }) +
      result("failed", "seen", "continuity_step", { isError: true }) +
      result("words", "failed", "continuity_step", { details: { status: `${SECRET} status` } }),
  );
  const { stdout } = timeline("graph", "moved");
  expect(stdout).toMatch(/b4 assistant .*  \[files changed\]$/m);
  expect(stdout).toMatch(/done result .*  \[work: update_task done\]$/m);
  expect(stdout).toMatch(/words result .*  \[work: step\]$/m);
  expect(stdout.match(/\[(?:work|files)/g)).toHaveLength(3);
  expect(timeline("show", "moved").stdout).toMatch(/b4 .*\[files changed\]/);
  expect(timeline("graph", "moved", "--json").data).toMatchObject({
    lines: expect.arrayContaining([
      expect.objectContaining({ id: "done", effects: ["work: update_task done"] }) as object,
    ]) as object[],
  });
});

test("rewind --files: shown first, done, told to the agent, and taken back with --undo, both halves of it", () => {
  const planned = rewind("n2", "--files", "restore", "--dry-run");
  expect(planned.stdout).toContain("would come back: 1\n    notes.md");
  expect(planned.stdout).toContain("would go, because they were not there: 1\n    created.md");
  expect(read("notes.md")).toBe("two\n");
  const done = rewind("n2", "--files", "restore", "--yes", "--json");
  expect(done.data).toMatchObject({
    action: "rewound",
    files: { restored: ["notes.md"], removed: ["created.md"], conflicts: [] },
  });
  expect([read("notes.md"), read("created.md")]).toEqual(["one\n", undefined]);
  const transcript = readFileSync(join(stateDir, "agents/main/sessions/moved.jsonl"), "utf8");
  expect(transcript).toContain("are as they were at this point again");
  expect(rewind("n2", "--files", "restore", "--json").data).toMatchObject({ action: "already" });
  expect(rewind("--undo", "--yes", "--json").data).toMatchObject({ action: "rewound", targetId: "b4" });
  expect([read("notes.md"), read("created.md")]).toEqual(["two\n", "new\n"]);
});

test("without a word on files they stay, and --undo leaves them too", () => {
  expect(rewind("n2", "--yes", "--json").data).toMatchObject({ action: "rewound" });
  expect(read("notes.md")).toBe("two\n");
  expect(rewind("--undo", "--yes", "--json").data).toMatchObject({ action: "rewound" });
  expect(read("notes.md")).toBe("two\n");
});

test("a person's change is a conflict: nothing moves until it is decided", () => {
  writeFileSync(at("notes.md"), "a person's\n");
  const transcript = (): string => readFileSync(join(stateDir, "agents/main/sessions/moved.jsonl"), "utf8");
  const before = transcript();
  expect(rewind("n2", "--files", "restore", "--yes", "--json")).toMatchObject({
    status: 1,
    data: { code: "conflicts", message: expect.stringContaining("notes.md") as string },
  });
  expect([transcript(), read("notes.md"), read("created.md")]).toEqual([before, "a person's\n", "new\n"]);
  expect(rewind("n2", "--files", "restore", "--ours", "--yes", "--json").data).toMatchObject({ action: "rewound" });
  expect([read("notes.md"), read("created.md")]).toEqual(["one\n", undefined]);
  // The person's version is not lost.
  expect(rewind("--undo", "--yes", "--json").data).toMatchObject({ action: "rewound" });
  expect(read("notes.md")).toBe("a person's\n");
});

test("bad input: both a place and --undo, neither, both decisions, a session without files, a move that was never made", () => {
  expect(rewind("n2", "--undo").status).toBe(2);
  expect(rewind().status).toBe(2);
  expect(rewind("n2", "--files", "restore", "--ours", "--theirs").status).toBe(2);
  expect(rewind("n2", "--files", "some").status).toBe(2);
  rmSync(join(stateDir, "openclaw-integrity-files"), { recursive: true });
  expect(rewind("n2", "--files", "restore", "--json")).toMatchObject({ status: 1, data: { code: "no-snapshots" } });
});

test("files: what is kept, settled and tidied; a purge of the session deletes it", () => {
  expect(timeline("files", "--json").data).toMatchObject({
    workspaces: [{ workspace, sessions: 1, steps: 1, pending: 0 }],
  });
  expect(timeline("files", "--tidy")).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("1 change of 1 session") as string,
  });
  expect(rewind("n2", "--files", "restore", "--yes", "--json").data).toMatchObject({ action: "rewound" });
  expect(read("notes.md")).toBe("one\n");
  const purged = cli(["purge", "agent:main:main", "--yes", "--json"], newFolder(), {
    ...userEnvironment(newFolder()),
    OPENCLAW_STATE_DIR: stateDir,
  });
  expect(purged).toMatchObject({ status: 0 });
  expect(timeline("files").stdout).toBe("no files are kept\n");
});

/** A move to n2 whose process was killed when one of its two files had been moved. */
async function killedMove(): Promise<void> {
  const [store] = WorkspaceStore.all(stateDir);
  const version = (content: string): { mode: string; oid: string } => ({
    mode: "100644",
    oid: blobId(Buffer.from(content)),
  });
  await store!.use(async ({ place, records, capture, markPending }) => {
    const { tree } = await capture();
    const plan = [
      { path: "created.md", before: version("new\n"), after: undefined },
      { path: "notes.md", before: version("two\n"), after: version("one\n") },
    ];
    markPending(true);
    records.intend({
      intentId: "killed",
      owner: { sessionId: "moved", sessionKey: "agent:main:main", agentId: "main" },
      before: tree,
      after: await changedTree(place, tree, plan),
      plan,
    });
  });
  rmSync(at("created.md"));
  mkdirSync(at(".openclaw-integrity-move-killed"));
  writeFileSync(at(".openclaw-integrity-move-killed/1"), "one\n");
}

test("a move that was cut off: without its entry the files are brought back, with it they are moved, and nothing else goes on before", async () => {
  await killedMove();
  expect(timeline("files", "--json").data).toMatchObject({ workspaces: [{ pending: 1 }] });
  expect(timeline("files", "--tidy").stdout).toContain("a move that was cut off was taken back");
  expect([read("notes.md"), read("created.md"), readdirSync(workspace).length]).toEqual(["two\n", "new\n", 2]);
  await killedMove();
  // A rewind settles what was cut off before it looks at anything.
  const file = join(stateDir, "agents/main/sessions/moved.jsonl");
  const details = { intentId: "killed", departureId: "b4", targetId: "n2", by: "agent", files: "restore" };
  const arrival = { type: "custom_message", id: "n9", parentId: "n2", timestamp: "2026-11-22T21:21:00.000Z" };
  writeFileSync(
    file,
    `${readFileSync(file, "utf8")}${JSON.stringify({ ...arrival, customType: CARRYOVER_TYPE, content: "note", display: true, details })}\n`,
  );
  expect(rewind("--undo", "--dry-run", "--json").data).toMatchObject({ code: "move-pending" });
  expect(rewind("--undo", "--json").data).toMatchObject({
    action: "rewound",
    files: { restored: ["created.md", "notes.md"] },
  });
  expect([read("notes.md"), read("created.md"), readdirSync(workspace).length]).toEqual(["two\n", "new\n", 2]);
});

test("a file that somebody changed after a kill is left alone", async () => {
  await killedMove();
  writeFileSync(at("created.md"), "somebody's\n");
  expect(timeline("files", "--tidy").stdout).toContain("because somebody changed it since: created.md");
  expect([read("notes.md"), read("created.md")]).toEqual(["two\n", "somebody's\n"]);
});
