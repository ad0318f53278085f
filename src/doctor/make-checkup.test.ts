import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { showCheckup, State } from "../../test/doctor/state.ts";
import { result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { ScanMemory } from "../health/index.ts";
import { journalFile, openJournal } from "../journal/index.ts";
import { readIncidents } from "./incidents.ts";
import type { OpenClawAtHand } from "./checkup.ts";
import { renderCheckupPage } from "./html/page.ts";
import { reportLines } from "./report.ts";
import { nextStep } from "./words.ts";

const SOUND = toTranscript([user("go"), says("yes")]);
const FAULTY = toTranscript([user("go"), says("yes"), result("toolu_lost", "of nothing")]);

describe("a journal that cannot be read costs the checkpoints and nothing else", () => {
  const made = (file: string): void => openJournal(file).close();
  const changed =
    (statement: string) =>
    (file: string): void => {
      made(file);
      const database = new DatabaseSync(file);
      database.exec(statement);
      database.close();
    };
  let holder: DatabaseSync | undefined;

  test.each<[string, (file: string) => void, RegExp]>([
    ["missing", () => undefined, /^No journal yet/],
    ["damaged", (file) => writeFileSync(file, "no database"), /damaged/],
    ["newer", changed("PRAGMA user_version = 99"), /newer openclaw-integrity/],
    ["foreign", changed("PRAGMA application_id = 1"), /belongs to another program/],
    ["a folder", (file) => mkdirSync(file), /could not be read/],
    [
      "locked",
      (file) => {
        made(file);
        holder = new DatabaseSync(file);
        holder.exec(
          "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; INSERT INTO incidents (at, kind, details) VALUES (1, 'x', '{}')",
        );
      },
      /locked by another program/,
    ],
  ])("%s", async (_, make, sentence) => {
    const state = new State();
    state.put("faulty", FAULTY);
    make(journalFile(state.directory));
    try {
      const checkup = await state.check();
      expect(checkup.journal.sentence).toMatch(sentence);
      expect(checkup.sessions).toMatchObject([
        { checkpoints: undefined, remedy: { by: "repair" }, drawing: { examination: { violations: [{}] } } },
      ]);
      const shown = showCheckup(checkup);
      expect(shown.match(new RegExp(sentence.source.replace("^", "").replace("'", "(?:'|&#39;)"), "g"))).toHaveLength(
        2,
      );
    } finally {
      holder?.close();
      holder = undefined;
    }
  });
});

describe("incidents", () => {
  test("of the patch and the plugin, the youngest first; damaged files, foreign files and unknown fields stop nothing", () => {
    const state = new State();
    expect(readIncidents(state.directory)).toEqual({ list: [], older: 0, damaged: 0 });
    state.incident("integrity-incident-2026-11-20T08-00-00-000Z.json", {
      format: "openclaw-integrity incident",
      version: 1,
      at: "2026-11-20T08:00:00.000Z",
      outcome: "reset",
      sessionId: "s",
      archive: "a.bak",
      steps: [
        { failure: "history", problem: "orphaned_result", rung: "heal" },
        { failure: "history", problem: "orphaned_result", rung: "heal" },
        { failure: "content_filter", problem: "answer" },
      ],
      unknown: {},
    });
    state.incident("l0-incident-2026-11-21T08-00-00-000Z.json", {
      timestamp: "2026-11-21T08:00:00.000Z",
      sessionKey: "agent:main:main",
      issues: [{ type: "missing_tool_result", messageIndex: 1, description: "d" }, { type: "constructor" }],
      action: "toString",
      more: 1,
    });
    state.incident("l0-incident-2026-11-22T08-00-00-000Z.json", '{"timestamp"');
    state.incident("l0-incident-2026-11-23T08-00-00-000Z.json", [1]);
    state.incident("l0-incident-2026-11-24T08-00-00-000Z.json", {
      timestamp: 1,
      issues: [],
      text: "x".repeat(2_000_000),
    });
    mkdirSync(join(state.directory, "logs", "l0-incident-2026-11-25T08-00-00-000Z.json"));
    // Whoever reads it waits for ever.
    execFileSync("mkfifo", [join(state.directory, "logs", "l0-incident-2026-11-26T08-00-00-000Z.json")]);
    state.incident("gateway.json", "{}");
    expect(readIncidents(state.directory)).toMatchObject({
      list: [
        {
          at: Date.parse("2026-11-21T08:00:00.000Z"),
          sessionKey: "agent:main:main",
          what: "a tool call without a result; constructor",
          outcome: "toString",
        },
        {
          sessionId: "s",
          archive: "a.bak",
          what: "2 × history refused by the provider (orphaned result, then heal); stopped by a content filter (answer)",
          outcome: "session archived and reset",
        },
      ],
      older: 0,
      damaged: 5,
    });
  });

  test("of thousands the youngest are read", () => {
    const state = new State();
    for (let at = 0; at < 300; at++)
      state.incident(`l0-incident-2026-11-20T08-00-00-${String(at).padStart(3, "0")}Z.json`, {
        timestamp: at,
        issues: [],
      });
    const { list, older } = readIncidents(state.directory);
    expect([list.length, older, list[0]!.at]).toEqual([200, 100, 299]);
  });
});

test("archives of both kinds, with the command that restores each; what is none is left out", async () => {
  const state = new State();
  state.put("s", SOUND);
  const copy = `${state.put("s", SOUND)}.integrity-0123456789ab.bak`;
  writeFileSync(copy, FAULTY);
  writeFileSync(join(state.folder(), "s.jsonl.bak"), FAULTY);
  const folder = join(state.directory, "integrity-archives");
  mkdirSync(folder);
  writeFileSync(
    join(folder, "r.json"),
    JSON.stringify({
      format: "openclaw-integrity archive",
      version: 1,
      sessionId: "r",
      leafEntryId: "l",
      messages: 12,
      sha256: "c",
    }),
  );
  writeFileSync(join(folder, "later.json"), JSON.stringify({ format: "openclaw-integrity archive", version: 2 }));
  const { archives, sessions } = await state.check();
  expect(archives.map(({ kind, sessionId, command }) => [kind, sessionId, command]).toSorted()).toEqual([
    ["file", "s", `npx openclaw-integrity sessions restore ${copy}`],
    ["rows", "r", `npx openclaw-integrity sessions restore ${join(folder, "r.json")}`],
  ]);
  expect(sessions[0]!.archives).toMatchObject([{ path: copy, size: FAULTY.length, faults: 1 }]);
  const checkup = await state.check();
  const words = "it has a fault, which restoring it brings back";
  expect(reportLines(checkup, 100).filter((line) => String(line).trim() === words)).toHaveLength(1);
  expect(renderCheckupPage(checkup, { withWords: false }).match(new RegExp(words, "g"))).toHaveLength(2);
  writeFileSync(copy, SOUND);
  expect(showCheckup(await state.check())).not.toContain("brings back");
  expect((await state.check({ only: "s" })).archives).toHaveLength(1);
});

test("archives beside a transcript that the index names elsewhere", async () => {
  const [state, elsewhere] = [new State(), new State()];
  const file = elsewhere.put("far", SOUND);
  writeFileSync(`${file}.integrity-0123456789ab.bak`, FAULTY);
  writeFileSync(
    join(state.folder(), "sessions.json"),
    JSON.stringify({ "agent:main:main": { sessionId: "far", sessionFile: file } }),
  );
  expect((await state.check()).archives).toMatchObject([
    { path: `${file}.integrity-0123456789ab.bak`, sessionId: "far" },
  ]);
});

test("one session is looked at alone, and what is known of the others is not forgotten", async () => {
  const state = new State();
  state.put("s", FAULTY);
  state.put("other", SOUND);
  state.incident("l0-incident-2026-11-20T08-00-00-000Z.json", { timestamp: 1, sessionId: "other", issues: [] });
  const memory = new ScanMemory(state.directory);
  await state.check({ memory });
  const one = await state.check({ memory, only: "s" });
  expect(one.sessions.map(({ session, isNew }) => [session.sessionId, isNew])).toEqual([["s", false]]);
  expect(one.incidents.list).toEqual([]);
  expect((await state.check({ memory })).sessions.map(({ isNew }) => isNew)).toEqual([false, false]);
  await expect(state.check({ only: "nobody" })).rejects.toMatchObject({ code: "session-missing" });
});

describe("what to do next", () => {
  const next = async (make: (state: State) => void): Promise<string> => {
    const state = new State();
    make(state);
    const { sentence, command = "" } = nextStep(await state.check());
    return `${sentence} ${command}`;
  };

  test("says how many are sound, have faults, or could not be read", async () => {
    expect(await next(() => undefined)).toMatch(/no sessions yet/);
    expect(await next((state) => state.put("a", SOUND))).toMatch(/^The session is valid: nothing to do/);
    expect(await next((state) => (state.put("a", SOUND), state.put("b", SOUND)))).toMatch(/^All 2 sessions are valid/);
    expect(await next((state) => (state.put("a", SOUND), state.put("b", FAULTY)))).toMatch(
      /^1 of 2 sessions has faults.* openclaw-integrity sessions repair b$/,
    );
    expect(await next((state) => (state.put("a", FAULTY), state.put("b", FAULTY)))).toMatch(
      /^2 of 2 sessions have faults.* openclaw-integrity sessions repair --all$/,
    );
    expect(
      await next(
        (state) => (
          mkdirSync(join(state.folder("x"), "..", "agent"), { recursive: true }),
          writeFileSync(join(state.folder("x"), "..", "agent", "openclaw-agent.sqlite"), "none")
        ),
      ),
    ).toMatch(/No session could be read/);
  });

  test("while an OpenClaw is without the whole patch, the next step is about the patch, and the repair comes behind it", async () => {
    const state = new State();
    state.put("a", SOUND);
    const nextFor = async (...openclaws: Partial<OpenClawAtHand>[]) => {
      const of = openclaws.map((one) => ({ release: "2026.9.6", root: "/o", path: "/o", ...one }) as OpenClawAtHand);
      return nextStep(await state.check({ openclaws: of }));
    };
    const setup = "npx openclaw-integrity setup --path /o";
    for (const patched of ["no", "part", "outdated"] as const) {
      const { sentence, command } = await nextFor({ patched: "files", path: "/other" }, { patched });
      expect({ patched, command }).toEqual({ patched, command: setup });
      expect(sentence).toMatch(/^The session is valid\. .*:$/);
      expect(sentence).not.toContain("nothing to do");
    }
    expect(await nextFor({ patched: "no", isRefused: true })).toMatchObject({
      sentence: expect.stringContaining("would refuse"),
      command: "npx openclaw-integrity explain --path /o",
    });
    expect(await nextFor({ patched: "unknown" })).toMatchObject({ command: expect.stringContaining("status") });
    expect(await nextFor({ patched: "memory" })).toEqual({ sentence: "The session is valid: nothing to do." });
    state.put("b", FAULTY);
    expect(await nextFor({ patched: "no" })).toMatchObject({
      sentence: expect.stringMatching(/^1 of 2 sessions has faults\. OpenClaw is not patched/),
      command: setup,
      afterwards: { command: "npx openclaw-integrity sessions repair b" },
    });
    const shown = showCheckup(await state.check({ openclaws: [{ release: "2026.9.6", root: "/o", patched: "no" }] }));
    expect(shown.match(/^ {2}npx openclaw-integrity (?:setup|sessions repair b)$/gm)).toHaveLength(3);
    expect(shown).toMatch(
      /class="command">npx openclaw-integrity setup<.*\n?.*class="command">npx openclaw-integrity sessions repair b</,
    );
  });

  test("a session that is deleted while it is looked at is not read, and stops nothing", async () => {
    const state = new State();
    const file = state.put("a", FAULTY);
    const memory = new ScanMemory(state.directory);
    state.put("b", SOUND);
    await state.check({ memory });
    const checkup = await state.check({ memory, onProgress: () => rmSync(file, { force: true }), isDrawn: true });
    expect(checkup.sessions).toHaveLength(2);
    // Deleted between the list and the reading.
    state.put("a", FAULTY);
    state.put("0", FAULTY);
    const late = await state.check({ onProgress: () => rmSync(file, { force: true }) });
    expect(late.sessions.find(({ session }) => session.sessionId === "a")).toMatchObject({
      unread: expect.stringContaining("no such file"),
    });
    expect(showCheckup(late)).toContain("not read");
  });
});
