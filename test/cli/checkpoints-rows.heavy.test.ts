import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { contentHash, journalFile, openJournal, type Checkpoint } from "../../src/journal/index.ts";
import { startOpenClaw, toTranscript, type OpenClawDriver, type RunResult } from "../../harness/openclaw/index.ts";
import { FOUND, HEALTHY } from "../../harness/openclaw/samples.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { chosenReleases } from "./chosen-releases.ts";
import { cli, rollBack, userEnvironment, type Run } from "./fixture.ts";

const BRANCH = fileURLToPath(new URL("branch-rows.ts", import.meta.url));
const RESET = fileURLToPath(new URL("reset-rows.ts", import.meta.url));
const installed = chosenReleases(["2026.9.6"]);

describe.each(installed)("the commands on checkpoints, with the rows of OpenClaw $release", ({ release, root }) => {
  const openclawRoot = join(root, "node_modules", "openclaw");
  let provider: StrictProvider;
  let openclaw: OpenClawDriver;

  beforeAll(async () => {
    provider = await startProvider();
    openclaw = await startOpenClaw({ root, release, providerUrl: provider.url, turnTimeoutMs: 120_000 });
  });
  afterAll(async () => {
    await openclaw?.close();
    await provider?.close();
  });
  beforeEach(() => provider.reset());

  const environment = (): NodeJS.ProcessEnv => ({
    ...userEnvironment(newFolder()),
    OPENCLAW_STATE_DIR: openclaw.stateDir,
  });
  const checkpoints = (...args: string[]): Run =>
    cli(["checkpoints", ...args, "--path", openclawRoot, "--json"], newFolder(), environment());
  const rollback = (...args: string[]): Run => rollBack(openclawRoot, args, environment());
  const lastRequest = (): string => provider.requests.at(-1)?.raw ?? "";
  const answered = async (): Promise<RunResult> => {
    const run = await openclaw.run({
      transcript: toTranscript(HEALTHY),
      api: "anthropic-messages",
      messages: ["first question"],
    });
    expect(run.turns).toMatchObject([{ answered: true }]);
    return run;
  };
  /** A checkpoint of where a session stands whose last stored row is its leaf, as the guard keeps one. */
  const keepCheckpoint = async (
    { sessionId, readTranscript }: RunResult,
    change: Partial<Checkpoint> = {},
  ): Promise<string> => {
    const path = (await readTranscript()).filter(({ type }) => type !== "session");
    const messages = path.filter(({ type }) => type === "message").map(({ message }) => message);
    const at = {
      firstEntryId: String(path[0]?.["id"]),
      leafEntryId: String(path.at(-1)?.["id"]),
      messageIndex: messages.length,
      contentHash: contentHash(messages),
    };
    const journal = openJournal(journalFile(openclaw.stateDir));
    const { id } = journal.checkpoints.create({ sessionId, operation: "api_call", ...at, ...change });
    journal.close();
    return id;
  };

  test("behind a reset, which OpenClaw lets nobody go back over: the history goes on in a new session, and that can be taken back too", async () => {
    const run = await answered();
    const id = await keepCheckpoint(run);
    const { sessionKey, sessionId } = run;
    execFileSync(process.execPath, ["--no-warnings", RESET, openclawRoot, sessionKey, sessionId], {
      env: environment(),
    });
    expect(await run.send("second question")).toMatchObject({ answered: true });
    expect(lastRequest()).not.toContain("first question");

    const done = rollback(id);
    expect(done).toMatchObject({ status: 0, data: { ok: true, action: "rolled-back", sessionKey } });
    expect(done.data["sessionId"]).not.toBe(sessionId);
    expect(await run.send("third question")).toMatchObject({ answered: true });
    for (const text of [FOUND, "first question", String(done.data["note"]), "third question"])
      expect(lastRequest()).toContain(text);
    expect(lastRequest()).not.toContain("second question");

    const back = rollback(String(done.data["kept"]));
    expect(back).toMatchObject({ status: 0, data: { action: "rolled-back", sessionId } });
    expect(await run.send("fourth question")).toMatchObject({ answered: true });
    for (const text of ["second question", "fourth question"]) expect(lastRequest()).toContain(text);
    for (const text of ["first question", "third question"]) expect(lastRequest()).not.toContain(text);
  });

  test("to a message that had no answer yet, then to before the first message; list and show by the conversation's key", async () => {
    const run = await answered();
    const id = await keepCheckpoint(run, {
      firstEntryId: null,
      leafEntryId: null,
      messageIndex: 0,
      contentHash: contentHash([]),
    });
    expect(checkpoints("list", "--session", run.sessionKey)).toMatchObject({
      status: 0,
      data: { checkpoints: [{ id }], total: 1 },
    });
    const shown = checkpoints("show", id, "--content");
    expect(shown).toMatchObject({
      status: 0,
      data: {
        verdict: "holds",
        isLeaf: false,
        session: { kind: "rows", sessionKey: run.sessionKey, isCurrent: true },
        calls: [{ tool: "read", outcome: "done" }],
      },
    });
    expect(shown.data["messagesBehind"]).toMatchObject([
      { words: "read a.txt" },
      {},
      { words: FOUND },
      { words: "It is read." },
      { words: "first question" },
      { role: "assistant" },
    ]);
    const messages = (await run.readTranscript()).filter(({ type }) => type === "message").slice(0, 5);
    const unanswered = await keepCheckpoint(run, {
      leafEntryId: String(messages.at(-1)?.["id"]),
      messageIndex: 5,
      contentHash: contentHash(messages.map(({ message }) => message)),
    });
    expect(rollback(unanswered)).toMatchObject({
      status: 0,
      data: { action: "rolled-back", messagesLeft: 1 },
    });
    expect(await run.send("second question")).toMatchObject({ answered: true });
    for (const text of [FOUND, "first question", "No tool call was carried out after it.", "second question"])
      expect(lastRequest()).toContain(text);

    expect(rollback(id)).toMatchObject({ status: 0, data: { action: "rolled-back", messagesLeft: 7 } });
    expect(await run.send("third question")).toMatchObject({ answered: true });
    expect(lastRequest()).toContain("effects remain: read 1.");
    for (const text of ["first question", "second question"]) expect(lastRequest()).not.toContain(text);
  });

  test("killed the moment it was stored: OpenClaw cannot read the session, and doing it again makes up for that", async () => {
    const run = await answered();
    const entries = await run.readTranscript();
    const messages = entries.filter(({ type }) => type === "message").slice(0, 4);
    const leafEntryId = String(messages.at(-1)?.["id"]);
    const id = await keepCheckpoint(run, {
      leafEntryId,
      messageIndex: 4,
      contentHash: contentHash(messages.map(({ message }) => message)),
    });
    const killed = spawnSync(
      process.execPath,
      ["--no-warnings", BRANCH, openclawRoot, run.sessionKey, run.sessionId, leafEntryId, id],
      { env: environment() },
    );
    expect(killed.signal).toBe("SIGKILL");
    expect(rollback(id)).toMatchObject({ status: 0, data: { action: "already" } });
    const journal = openJournal(journalFile(openclaw.stateDir));
    expect(journal.checkpoints.get(id)?.rolledBackAt).toBeGreaterThan(0);
    journal.close();
    expect(await run.send("second question")).toMatchObject({ answered: true });
    for (const text of [FOUND, "taken back", "second question"]) expect(lastRequest()).toContain(text);
    expect(lastRequest()).not.toContain("first question");
  });

  test("refused, and nothing is changed: changed messages, an entry that is gone, a session that is gone", async () => {
    const run = await answered();
    const before = await run.readTranscript();
    const wrong = "0".repeat(64);
    const cases: readonly (readonly [Partial<Checkpoint>, string, string])[] = [
      [{ contentHash: wrong }, "checkpoint-damaged", wrong],
      [{ leafEntryId: "gone" }, "checkpoint-damaged", "that entry is no longer stored"],
      [{ sessionId: "another" }, "session-missing", "a session or conversation another"],
    ];
    for (const [change, code, text] of cases) {
      expect(rollback(await keepCheckpoint(run, change))).toMatchObject({
        status: 1,
        data: { ok: false, code, message: expect.stringContaining(text) },
      });
    }
    expect(await run.readTranscript()).toEqual(before);
  });
});
