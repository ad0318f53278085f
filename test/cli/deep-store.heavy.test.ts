import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { assistant, result, says, user } from "../../harness/openclaw/samples.ts";
import { cli, newSessionFiles, userEnvironment, type Run } from "./fixture.ts";

const HOLE = "@@deep@@";
const LEVELS = 100_000;
const DEEP = `${'{"a":'.repeat(LEVELS)}"the innermost words"${"}".repeat(LEVELS)}`;

/**
 * A state directory with one session, in which a call, a result and a user's message nest deeper than any walk with
 * recursion comes.
 */
function deepStore(): { stateDir: string; file: string; run(...args: string[]): Run } {
  const stateDir = newFolder();
  const folder = join(stateDir, "agents", "main", "sessions");
  mkdirSync(folder, { recursive: true });
  const messages = [
    user("first question"),
    assistant({ type: "toolCall", id: "toolu_1", name: "read", arguments: { deep: HOLE } }, "toolUse"),
    { ...result("toolu_1", "what the tool gave"), details: HOLE },
    says("an answer"),
    {
      role: "user",
      content: [
        { type: "text", text: "second question" },
        { type: "json", value: HOLE },
      ],
    },
    says("another answer"),
  ];
  const file = join(folder, "deep.jsonl");
  writeFileSync(
    file,
    toTranscript(messages).replaceAll(JSON.stringify(HOLE), () => DEEP),
  );
  writeFileSync(
    join(folder, "sessions.json"),
    JSON.stringify({ "agent:main:main": { sessionId: "deep", updatedAt: 1 } }),
  );
  return {
    stateDir,
    file,
    run: (...args) => cli(args, newFolder(), { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: stateDir }),
  };
}

describe("a store whose only session has messages that nest a hundred thousand levels deep", () => {
  let store: ReturnType<typeof deepStore>;
  beforeAll(() => void (store = deepStore()));

  test("a scan does not call it sound: it names the session and ends with 3", () => {
    const { status, stdout, stderr } = store.run("sessions", "scan", "--all");
    expect({ status, stderr }).toEqual({ status: 3, stderr: "" });
    expect(stdout).toMatch(/^deep \(agent:main:main\): \d faults: 3 × a message that nests too deeply/);
    expect(stdout).not.toContain("valid");
  });

  test.each([
    [["sessions", "list"], 0, "deep (agent:main:main)"],
    [["sessions", "show", "deep"], 3, "nests too deeply"],
    [["sessions", "show", "deep", "--content"], 3, "toolCall"],
    [["sessions", "doctor"], 3, "nests too deeply"],
    [["sessions", "doctor", "--html", "page.html"], 3, "nests too deeply"],
    [["sessions", "repair", "deep", "--dry-run"], 0, "would be repaired"],
    [["timeline", "show", "deep"], 0, "places on the present path"],
    [["timeline", "graph", "deep"], 0, "youngest first"],
    [["timeline", "log", "deep"], 0, "no moves"],
    [["checkpoints", "list"], 0, ""],
  ] as const)("no command ends with a stack trace or a fault of ours: %j", (args, status, words) => {
    for (const form of [[], ["--json"]]) {
      const found = store.run(...args, ...form);
      expect(found.stderr).not.toMatch(/RangeError|Maximum call stack|at .*\.[cm]?[jt]s:\d|bug in openclaw-integrity/);
      expect(found.status).toBe(status);
      if (form.length === 0) expect(found.stdout).toContain(words);
    }
  });

  test("a repair keeps every text, and the deep values as text; the scan then finds nothing", async () => {
    const { stock } = await ensureRelease("2026.2.3");
    const { stateDir, file, run } = deepStore();
    expect(run("sessions", "repair", "deep", "--path", stock)).toMatchObject({ status: 0, stderr: "" });
    expect(run("sessions", "scan")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("all that were read are valid"),
    });
    const repaired = readFileSync(file, "utf8");
    for (const text of [
      "first question",
      "second question",
      "what the tool gave",
      "an answer",
      "another answer",
      "the innermost words",
    ])
      expect(repaired).toContain(text);
    expect(readdirSync(join(stateDir, "agents", "main", "sessions")).some((name) => name.includes(".integrity-"))).toBe(
      true,
    );
  });
});

test.each([["scan"], ["doctor"]])(
  "sessions %s of a store of which nothing could be read does not pass for one without faults",
  (command) => {
    const { folder, run } = newSessionFiles();
    writeFileSync(join(folder, "huge.jsonl"), "");
    // Without a byte on the disk, and larger than any text may be.
    truncateSync(join(folder, "huge.jsonl"), 3 * 2 ** 30);
    const { status, stdout, stderr } = run(command);
    expect(stdout).not.toMatch(/all that were read are valid|nothing to do/);
    expect(stdout).toMatch(
      command === "scan"
        ? /huge .*not read: .*\n.*1 could not be read, nothing is known of any/
        : /1 session could not be read/i,
    );
    expect({ status, stderr }).toEqual({ status: 3, stderr: "" });
  },
);
