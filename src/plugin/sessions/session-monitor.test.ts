import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadCorpus, transcriptPath } from "../../../harness/corpus/case.ts";
import { result, says, user } from "../../../harness/openclaw/samples.ts";
import { toTranscript } from "../../../harness/openclaw/transcript.ts";
import { journalFile, openJournal } from "../../journal/index.ts";
import { StoreError } from "../../store/errors.ts";
import { CHECKPOINTS, ROLLBACK } from "../commands/checkpoints.ts";
import { INCIDENTS } from "../commands/incidents.ts";
import type { OwnersCommand } from "../commands/command.ts";
import { SCAN } from "../commands/scan.ts";
import { STATUS } from "../commands/status.ts";
import { REWIND } from "../commands/rewind.ts";
import { TIMELINE } from "../commands/timeline.ts";
import { State } from "../../../test/plugin/monitor-fixture.ts";
import type { SessionMonitor } from "./session-monitor.ts";

const HEALTHY = toTranscript([user("a question"), says("an answer")]);
const ORPHANED = toTranscript([user("a question"), says("an answer"), result("toolu_lost", "of nothing")]);
const OPERATOR: OwnersCommand = { isAuthorizedSender: true, channel: "webchat", audience: "private" };

/** The thread answers as where a repaired file finds no room. */
function failRepairs({ options: { scanWorker } }: SessionMonitor): void {
  const call = scanWorker.call.bind(scanWorker) as (...args: unknown[]) => Promise<never>;
  vi.spyOn(scanWorker, "call").mockImplementation((...args) =>
    args[0] === "repair" ? Promise.reject(new StoreError("not-writable", "the disk is full")) : call(...args),
  );
}

let state: State;
beforeEach(() => {
  state = new State();
});
afterEach(() => state.remove());

describe("the plugin", () => {
  it("repairs what was corrupt before the gateway started, and writes one incident that its owner alone can read", async () => {
    const file = state.put("sick", ORPHANED);
    state.put("well", HEALTHY);
    const before = readFileSync(file, "utf8");
    const monitor = state.monitor();
    monitor.start();
    await monitor.whenStarted();
    expect(state.incidents()).toMatchObject([
      {
        action: "repaired",
        sessionId: "sick",
        sessionKey: "agent:main:sick",
        foundBy: "startup_scan",
        issues: [{ type: "orphaned_tool_result", toolUseId: "toolu_lost", messageIndex: 2 }],
      },
    ]);
    const [incident] = readdirSync(join(state.directory, "logs"));
    expect(incident).toMatch(/^l0-incident-\d{4}-\d\d-\d\dT/);
    expect(statSync(join(state.directory, "logs", incident!)).mode & 0o777).toBe(0o600);
    // What it was stays: in the file and in the archive.
    expect(readFileSync(file, "utf8").startsWith(before)).toBe(true);
    expect(readFileSync(String(state.incidents()[0]!["archive"]), "utf8")).toBe(before);
    expect((await monitor.scan({ all: true, foundBy: "scan" })).result.corrupt).toBe(0);
  });

  it("tells nothing twice when OpenClaw loads it again, and does nothing again", async () => {
    const file = state.put("sick", ORPHANED);
    for (const config of [{ autoRepair: false }, { autoRepair: false }, {}, {}]) {
      const monitor = state.monitor(config);
      monitor.start();
      monitor.start();
      await monitor.whenStarted();
      await monitor.stop();
    }
    expect(state.incidents().map(({ action }) => action)).toEqual(["detected", "repaired"]);
    expect(readdirSync(state.sessions).filter((name) => name.startsWith("sick.jsonl.integrity-"))).toHaveLength(1);
    expect(existsSync(file)).toBe(true);
  });

  it("leaves a session alone that is being answered, says nothing of it, and repairs it when that is over", async () => {
    const file = state.put("sick", ORPHANED);
    const lock = `${file}.lock`;
    writeFileSync(lock, JSON.stringify({ pid: process.pid, createdAt: new Date().toISOString() }));
    const monitor = state.monitor();
    expect((await monitor.scan({ foundBy: "scan" })).treated).toMatchObject([{ action: "waiting", isNews: false }]);
    expect(readFileSync(file, "utf8")).toBe(ORPHANED);
    expect(state.incidents()).toEqual([]);
    expect(monitor.waiting.map(({ sessionId }) => sessionId)).toEqual(["sick"]);
    // A retry that finds the session at work ends, instead of asking again and again without a pause.
    await monitor.retryWaiting();
    expect(monitor.waiting.map(({ sessionId }) => sessionId)).toEqual(["sick"]);
    rmSync(lock);
    await monitor.retryWaiting();
    expect(state.incidents()).toMatchObject([{ action: "repaired" }]);
    expect(monitor.waiting).toEqual([]);
  });

  it("repairs a conversation before it is answered, once, whoever else finds it at the same time", async () => {
    state.put("sick", ORPHANED);
    const monitor = state.monitor();
    await Promise.all([
      monitor.beforeRun("agent:main:sick"),
      monitor.scan({ foundBy: "scan" }),
      monitor.beforeRun("agent:main:sick"),
    ]);
    expect(state.incidents()).toHaveLength(1);
    expect(readdirSync(state.sessions).filter((name) => name.startsWith("sick.jsonl.integrity-"))).toHaveLength(1);
    await monitor.beforeRun("agent:main:nobody");
    await monitor.beforeRun("agent:main:sick");
    expect(state.lines.filter((line) => line.includes("failed"))).toEqual([]);
  });

  it("leaves a conversation alone that a message has arrived in: OpenClaw 2026.9 ends a turn whose transcript changes while it reads", async () => {
    const file = state.put("sick", ORPHANED);
    const monitor = state.monitor();
    monitor.arrivals.arrived("agent:main:sick");
    expect((await monitor.scan({ foundBy: "startup_scan" })).treated).toMatchObject([{ action: "waiting" }]);
    await monitor.retryWaiting();
    expect(readFileSync(file, "utf8")).toBe(ORPHANED);
    expect(monitor.waiting.map(({ sessionId }) => sessionId)).toEqual(["sick"]);
    monitor.arrivals.ended("agent:main:sick");
    await monitor.retryWaiting();
    expect(state.incidents()).toMatchObject([{ action: "repaired" }]);
    expect(monitor.waiting).toEqual([]);
  });

  it("lets a message wait for the repair of its conversation that a scan has begun", async () => {
    state.put("sick", ORPHANED);
    const monitor = state.monitor();
    const { scanWorker } = monitor.options;
    const call = scanWorker.call.bind(scanWorker) as (...args: unknown[]) => Promise<never>;
    const order: string[] = [];
    const began = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    vi.spyOn(scanWorker, "call").mockImplementation(async (...args) => {
      if (args[0] === "check") order.push("checked");
      if (args[0] !== "repair") return call(...args);
      began.resolve();
      await finish.promise;
      const done = await call(...args);
      order.push("repaired");
      return done;
    });
    const scanning = monitor.scan({ foundBy: "startup_scan" });
    await began.promise;
    const answering = monitor.beforeRun("agent:main:sick").then(() => order.push("answered"));
    finish.resolve();
    await Promise.all([scanning, answering]);
    expect(order).toEqual(["repaired", "checked", "answered"]);
  });

  it("looks at nothing before a message when it is told not to", async () => {
    const file = state.put("sick", ORPHANED);
    await state.monitor({ validateBeforeCall: false }).beforeRun("agent:main:sick");
    expect(readFileSync(file, "utf8")).toBe(ORPHANED);
  });

  it("where a repair fails and no patch answers: the conversation goes on from the youngest checkpoint that is sound", async () => {
    const file = state.put("sick", HEALTHY);
    const monitor = state.monitor();
    const { scanWorker } = monitor.options;
    const id = await scanWorker.call("checkpoint", { which: "agent:main:sick", retention: 5, withMessages: false });
    const last = JSON.parse(HEALTHY.trimEnd().split("\n").at(-1)!) as { id: string };
    appendFileSync(
      file,
      `${JSON.stringify({ type: "message", id: "orphan", parentId: last.id, timestamp: new Date().toISOString(), message: result("toolu_lost", "of nothing") })}\n`,
    );
    failRepairs(monitor);
    const before = readFileSync(file, "utf8");
    expect((await monitor.scan({ foundBy: "scan" })).treated).toMatchObject([
      { action: "rolled_back", checkpointId: id },
    ]);
    expect(state.incidents()).toMatchObject([
      { action: "rolled_back", checkpointId: id, archive: expect.stringContaining("sick.jsonl.integrity-") },
    ]);
    // The way back was written into the transcript, and not into its archive.
    expect(readFileSync(String(state.incidents()[0]!["archive"]), "utf8")).toBe(before);
    expect((await monitor.scan({ all: true, foundBy: "scan" })).result.corrupt).toBe(0);
    expect(readFileSync(file, "utf8")).toContain("toolu_lost");
  });

  it("and where there is none to go back to, the session is kept as it is, with a copy that OpenClaw does not delete", async () => {
    const file = state.put("sick", ORPHANED);
    const monitor = state.monitor();
    failRepairs(monitor);
    expect((await monitor.scan({ foundBy: "scan" })).treated).toMatchObject([
      { action: "kept", reason: expect.stringContaining("the disk is full") },
    ]);
    expect(readFileSync(file, "utf8")).toBe(ORPHANED);
    expect(readFileSync(String(state.incidents()[0]!["archive"]), "utf8")).toBe(ORPHANED);
  });

  it("and where a repair was ended behind its last row, the session is read again: an incident does not say unchanged", async () => {
    const file = state.put("sick", ORPHANED);
    const monitor = state.monitor();
    const { scanWorker } = monitor.options;
    const call = scanWorker.call.bind(scanWorker) as (...args: unknown[]) => Promise<never>;
    vi.spyOn(scanWorker, "call").mockImplementation(async (...args) => {
      const outcome = await call(...args);
      if (args[0] === "repair") throw new Error("the process ended (SIGKILL)");
      return outcome;
    });
    expect((await monitor.scan({ foundBy: "scan" })).treated).toMatchObject([
      { action: "repaired", reason: "the process ended (SIGKILL) Read again, it has no faults." },
    ]);
    expect(readFileSync(file, "utf8")).not.toBe(ORPHANED);
    expect(state.incidents()).toMatchObject([{ action: "repaired" }]);
  });

  it.runIf(process.platform === "linux")(
    "rolls nothing back where a repair fails of what lies beside the transcript",
    async () => {
      const file = state.put("sick", HEALTHY);
      const monitor = state.monitor();
      await monitor.options.scanWorker.call("checkpoint", {
        which: "agent:main:sick",
        retention: 5,
        withMessages: false,
      });
      const last = JSON.parse(HEALTHY.trimEnd().split("\n").at(-1)!) as { id: string };
      appendFileSync(
        file,
        `${JSON.stringify({ type: "message", id: "later", parentId: last.id, timestamp: new Date().toISOString(), message: user("more") })}\n`,
      );
      const before = readFileSync(file, "utf8");
      const createdAt = new Date(Date.now() - process.uptime() * 1000 - 60_000).toISOString();
      writeFileSync(`${file}.lock`, JSON.stringify({ pid: process.pid, createdAt }));
      failRepairs(monitor);
      expect((await monitor.scan({ foundBy: "scan" })).treated).toMatchObject([
        { action: "kept", examination: { record: "stuck_lock" } },
      ]);
      expect(readFileSync(file, "utf8")).toBe(before);
      expect(state.incidents()).toMatchObject([{ action: "kept", rows: [{ type: "stuck_lock" }] }]);
    },
  );

  it("its thread may end at any moment: the scan that runs fails in words, the next one works", async () => {
    for (let at = 0; at < 20; at++) state.put(`s${at}`, at % 2 === 0 ? HEALTHY : ORPHANED);
    const monitor = state.monitor();
    const scan = monitor.scan({ foundBy: "scan" });
    await new Promise((resolve) => setImmediate(resolve));
    await monitor.options.scanWorker.stop();
    await expect(scan).rejects.toThrow("the plugin's thread was ended");
    expect((await monitor.scan({ foundBy: "scan" })).treated.map(({ action }) => action)).toEqual(
      Array.from({ length: 10 }, () => "repaired"),
    );
  });

  it("two of them on one state folder (two gateways, or a command line beside it) repair each session once", async () => {
    for (let at = 0; at < 12; at++) state.put(`s${at}`, ORPHANED);
    const outcomes = await Promise.all(
      [state.monitor(), state.monitor()].map((monitor) => monitor.scan({ foundBy: "scan", all: true })),
    );
    const repaired = outcomes.flatMap(({ treated }) => treated).filter(({ action }) => action === "repaired");
    expect(new Set(repaired.map(({ session }) => session.sessionId)).size).toBe(12);
    for (let at = 0; at < 12; at++)
      expect(readdirSync(state.sessions).filter((name) => name.startsWith(`s${at}.jsonl.integrity-`))).toHaveLength(1);
    const again = await state.monitor().scan({ foundBy: "scan", all: true });
    expect(again.result).toMatchObject({ corrupt: 0, sessions: 12 });
  });

  it("no word of a conversation is in a log line, an incident, the memory of scans or an answer to a command, over the whole corpus", async () => {
    const MARK = "XQZ";
    for (const { id } of loadCorpus()) {
      const marked = readFileSync(transcriptPath(id), "utf8").replaceAll(
        /("(?:text|content|thinking|summary|path|command)":\s*")/g,
        `$1${MARK} `,
      );
      state.put(id, marked);
    }
    const monitor = state.monitor();
    monitor.start();
    await monitor.whenStarted();
    const context = { ...OPERATOR, sessionKey: "agent:main:x-a-hard-week", sessionId: "x-a-hard-week" };
    const answers = await Promise.all(
      [STATUS, SCAN, INCIDENTS, CHECKPOINTS].map((command) =>
        command.answer(monitor, { ...context, args: command === SCAN ? "all" : "" }),
      ),
    );
    expect(state.incidents().length).toBeGreaterThan(50);
    const written = [
      ...state.lines,
      ...answers,
      JSON.stringify(state.incidents()),
      readFileSync(join(state.directory, "openclaw-integrity-scan.json"), "utf8"),
    ].join("\n");
    expect(written).toContain("x-a-hard-week");
    expect(written).not.toContain(MARK);
  });

  it("/l0-status says of a patch that is not active why it is not, and what to do", async () => {
    const monitor = state.monitor();
    const line = async (): Promise<string | undefined> =>
      (await STATUS.answer(monitor, OPERATOR)).split("\n").find((one) => one.startsWith("Core patch"));
    expect(await line()).toMatch(/NOT ACTIVE\. OpenClaw 2026\.2\.3 is not patched\. .*npx openclaw-integrity apply/);
    writeFileSync(join(state.root, "dist", "openclaw-integrity.mjs"), "export {};\n");
    writeFileSync(
      join(state.root, "dist", "chunk.js"),
      '/* openclaw-integrity:header {"patchSet":"4","release":"2026.2.3","original":""} */\n',
    );
    expect(await line()).toMatch(
      /NOT ACTIVE\. OpenClaw 2026\.2\.3 was patched after this gateway had started\. .*Restart the gateway\.$/,
    );
    // As if the process were younger.
    const uptime = vi.spyOn(process, "uptime").mockReturnValue(-60);
    expect(await line()).toBe("Core patch: active (patch set 4, OpenClaw 2026.2.3)");
    vi.stubEnv("OPENCLAW_INTEGRITY", "off");
    expect(await line()).toMatch(/NOT ACTIVE\. .*OPENCLAW_INTEGRITY=off turns the patch off\. .*Unset it/);
    vi.unstubAllEnvs();
    uptime.mockRestore();
  });

  it("/l0-status does not call valid what a dry run has found faulty, and says so once it is repaired", async () => {
    state.put("sick", ORPHANED);
    state.put("well", HEALTHY);
    const monitor = state.monitor();
    const line = async (): Promise<string | undefined> =>
      (await STATUS.answer(monitor, OPERATOR)).split("\n").find((one) => one.startsWith("Sessions"));
    await monitor.scan({ foundBy: "scan", isDry: true, all: true });
    expect(await line()).toMatch(/^Sessions: 2, 1 with faults;/);
    await monitor.scan({ foundBy: "scan" });
    expect(await line()).toMatch(/^Sessions: 2, all valid, 1 just repaired;/);
  });

  it("nothing is left to a core patch that is not active", async () => {
    state.put("sick", ORPHANED);
    const monitor = state.monitor();
    failRepairs(monitor);
    const { treated } = await monitor.scan({ foundBy: "scan" });
    expect(treated.map(({ action }) => action)).toEqual(["kept"]);
    expect([...state.lines, JSON.stringify(state.incidents())].join("\n")).not.toContain("core patch answers");
  });

  it("a dry run beside a scan that repairs is one", async () => {
    state.put("sick", ORPHANED);
    const monitor = state.monitor({ autoRepair: false });
    const [, dry] = await Promise.all([
      monitor.scan({ foundBy: "tick" }),
      monitor.scan({ foundBy: "scan", isDry: true, all: true }),
    ]);
    expect(dry.treated).toEqual([]);
    expect(dry.result.read).toBe(1);
  });

  it("commands say what they expected when they are given something else", async () => {
    const monitor = state.monitor();
    await expect(SCAN.answer(monitor, { ...OPERATOR, args: "everything" })).rejects.toThrow('found "everything"');
    await expect(ROLLBACK.answer(monitor, { ...OPERATOR, args: "" })).rejects.toThrow("/l0-checkpoints shows them");
    await expect(ROLLBACK.answer(monitor, { ...OPERATOR, args: "x" })).rejects.toThrow("found no journal");
    expect(await CHECKPOINTS.answer(monitor, OPERATOR)).toContain("No checkpoints yet");
    expect(await INCIDENTS.answer(monitor, OPERATOR)).toBe("No incidents.");
  });

  it("a conversation that is called like a file elsewhere has that file neither read nor repaired", async () => {
    const elsewhere = join(state.directory, "elsewhere.jsonl");
    writeFileSync(elsewhere, ORPHANED);
    state.put("sound", HEALTHY);
    const monitor = state.monitor();
    await monitor.beforeRun(elsewhere);
    expect(readFileSync(elsewhere, "utf8")).toBe(ORPHANED);
    expect(state.incidents()).toEqual([]);
    const there = { ...OPERATOR, sessionKey: elsewhere };
    expect(await STATUS.answer(monitor, there)).toContain("This conversation: nothing stored yet");
    expect(await TIMELINE.answer(monitor, there)).toBe("Nothing is stored of this conversation yet.");
    expect(await REWIND.answer(monitor, { ...there, args: "root" })).toBe(
      "Nothing is stored of this conversation yet.",
    );
  });

  it("in a group a rollback goes to a checkpoint of the group's own conversation, and tells of no other", async () => {
    state.put("group", HEALTHY);
    const journal = openJournal(journalFile(state.directory));
    const place = { messageIndex: 0, contentHash: "x", firstEntryId: null, leafEntryId: null };
    const { id } = journal.checkpoints.create({ sessionId: "other", operation: "manual", ...place });
    journal.checkpoints.commit(id);
    journal.close();
    const monitor = state.monitor();
    const inGroup = { ...OPERATOR, audience: "group" as const, sessionId: "group" };
    const refused = await ROLLBACK.answer(monitor, { ...inGroup, args: id }).catch(String);
    expect(refused).toMatch(/expected the id of a checkpoint of this conversation/);
    const missing = await ROLLBACK.answer(monitor, { ...inGroup, args: "missing" }).catch(String);
    expect(missing.replace("missing", id)).toBe(refused);
    expect(await CHECKPOINTS.answer(monitor, { ...inGroup, args: "other" })).toMatch(/^Others read this chat/);
    expect(await CHECKPOINTS.answer(monitor, inGroup)).toMatch(/^No checkpoints of session group/);
    await expect(ROLLBACK.answer(monitor, { ...OPERATOR, args: id })).rejects.toThrow("other");
  });

  it("/l0-scan dry-run tells and changes nothing", async () => {
    const file = state.put("sick", ORPHANED);
    const text = await SCAN.answer(state.monitor({ autoRepair: true }), { ...OPERATOR, args: "all dry-run" });
    expect(text).toContain("1 with faults\nsick: a tool result without a call\nNothing was changed.");
    expect(readFileSync(file, "utf8")).toBe(ORPHANED);
    expect(state.incidents()).toEqual([]);
  });
});
