/** `openclaw-integrity timeline …` on a stored session with a branch that was left. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { textWidth } from "../../src/base/width.ts";
import { newFolder } from "../../harness/temporary.ts";
import { loadCorpus, transcriptPath } from "../../harness/corpus/case.ts";
import { cli, newSessionFiles, userEnvironment, type Run } from "./fixture.ts";

const message = (id: string, parentId: string | null, role: string, content: unknown, more: object = {}): object => ({
  type: "message",
  id,
  parentId,
  timestamp: "2026-02-05T21:20:00.000Z",
  message: { role, content, ...more },
});
const text = (words: string): object[] => [{ type: "text", text: words }];
const ROWS = [
  { type: "session", version: 3, id: "travelled", timestamp: "2026-02-05T21:00:00.000Z", cwd: "/home/me" },
  message("u1", null, "user", text("a secret question")),
  message("a1", "u1", "assistant", text("an answer")),
  message("u2", "a1", "user", text("the first way")),
  message("k2", "u2", "assistant", [{ type: "toolCall", id: "c1", name: "exec", arguments: {} }], {
    stopReason: "toolUse",
  }),
  message("r2", "k2", "toolResult", text("done"), { toolCallId: "c1", toolName: "exec" }),
  message("u3", "a1", "user", text("another \u001b[31mway\u202e")),
  message("a3", "u3", "assistant", text("a third answer")),
];

let stateDir: string;
let folder: string;
const put = (id: string, transcript: string): void => writeFileSync(join(folder, `${id}.jsonl`), transcript);
const timeline = (...args: string[]): Run =>
  cli(["timeline", ...args], newFolder(), { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: stateDir });
beforeEach(() => {
  ({ stateDir, folder } = newSessionFiles());
  put("travelled", ROWS.map((row) => `${JSON.stringify(row)}\n`).join(""));
  writeFileSync(
    join(folder, "sessions.json"),
    JSON.stringify({ "agent:main:main": { sessionId: "travelled", updatedAt: 1 } }),
  );
});

test("show: the places on the path and the ends that were left, by the conversation's key; no word of what was said unless it is asked for", () => {
  const shown = timeline("show", "agent:main:main");
  expect(shown).toMatchObject({ status: 0, stderr: "" });
  expect(shown.stdout).toBe(`places on the present path, the youngest first, times in UTC:
  id  role        time              turn
  a3  assistant   2026-02-05 21:20  this turn    <- continues here
  u3  user        2026-02-05 21:20  this turn
  a1  assistant   2026-02-05 21:20  1 turn back
  u1  user        2026-02-05 21:20  1 turn back
ends of branches that were left:
  r2  toolResult  2026-02-05 21:20
`);
  const { data, stdout } = timeline("show", "travelled", "--json", "--limit", "2");
  expect(data).toMatchObject({
    ok: true,
    head: "a3",
    more: 2,
    nodes: [{ id: "a3", turns_back: 0, hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string }, { id: "u3" }],
    branches: [{ id: "r2", turns_back: null }],
  });
  expect(stdout).not.toMatch(/secret|way/);
  // What a message says does nothing to the terminal.
  expect(timeline("show", "travelled", "--content").stdout).toMatch(/u3 .* another \\u001b\[31mway\\u202e\n/);
});

test("graph: each entry is on one line or counted on one, the branch stands where it was left", () => {
  expect(timeline("graph", "travelled").stdout)
    .toBe(`youngest first, times in UTC; ◆ the present end, ◇ where a move arrived,
○ the end of a branch that was left, ├─╯ where it was left
◆ a3 assistant 2026-02-05 21:20  <- continues here
● u3 user      2026-02-05 21:20
│ ○ r2 result    2026-02-05 21:20  (left)
│ ⋮ 1 entry
│ ● u2 user      2026-02-05 21:20
├─╯
● a1 assistant 2026-02-05 21:20
● u1 user      2026-02-05 21:20
`);
});

test("graph: two hundred branches and long words fit on 100 columns, and all of them are drawn when asked for", () => {
  const rows: object[] = [ROWS[0]!, message("start", null, "user", text("w".repeat(400)))];
  for (let at = 0; at < 200; at += 1)
    rows.push(
      message(`try-${at}-a`, "start", "assistant", text("\u001b[31m 漢字".repeat(60))),
      message(`try-${at}-b`, `try-${at}-a`, "user", text("no")),
    );
  put("many", rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const lines = timeline("graph", "many", "--content").stdout.trimEnd().split("\n");
  expect(lines.length).toBeLessThan(20);
  const shown = timeline("show", "many", "--content").stdout.trimEnd().split("\n");
  expect(shown.length).toBeGreaterThan(10);
  expect(Math.max(...[...lines, ...shown].map(textWidth))).toBeLessThanOrEqual(100);
  expect(lines).toContain("│ ⋮ 196 more branches, 392 entries");
  expect(timeline("graph", "many", "--all").stdout.match(/try-\d+-b/g)?.length).toBe(200);
  expect(timeline("graph", "many", "--limit", "3").stdout).toMatch(/\nand 398 older entries: --limit <n>, or --all\n$/);
});

test("an empty session, one that is not there and a limit that is none are told as such", () => {
  put("empty", `${JSON.stringify(ROWS[0])}\n`);
  expect(timeline("show", "empty")).toMatchObject({ status: 0, stdout: "this session is empty\n" });
  expect(timeline("graph", "empty")).toMatchObject({ status: 0, stdout: "this session is empty\n" });
  expect(timeline("show", "nowhere", "--json")).toMatchObject({ status: 1, data: { code: "session-missing" } });
  expect(timeline("show", "travelled", "--limit", "0").status).toBe(2);
});

test("a corrupt transcript is drawn too", () => {
  for (const id of ["x-side-branch-holds-the-call", "x-a-hard-week", "x-every-language-every-damage"]) {
    expect(loadCorpus().some((one) => one.id === id)).toBe(true);
    put(id, readFileSync(transcriptPath(id), "utf8"));
    expect(timeline("graph", id)).toMatchObject({ status: 0, stderr: "" });
    expect(timeline("show", id)).toMatchObject({ status: 0, stderr: "" });
  }
});
