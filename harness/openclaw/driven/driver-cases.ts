/** That an OpenClaw that is driven in-process answers, runs tools, fails and stores as tests expect of one. */
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startProvider, type StrictProvider } from "../../providers/index.ts";
import { startOpenClaw, toTranscript, WORKSPACE_NOTE, type OpenClawDriver } from "../index.ts";
import { isEntry, parseLines, toJsonl, type TranscriptEntry } from "../transcript.ts";
import { releasesFolder } from "../releases.ts";
import { assistant, CALL, FOUND, HEALTHY, LONG, result, says, user } from "../samples.ts";
import { patience } from "../../patience.ts";

const TURN_TIMEOUT_MS = patience(60_000);
const BRICK = [
  user("read a.txt"),
  assistant({ ...CALL, arguments: {}, partialJson: '{"pa' }, "aborted"),
  result("toolu_1", FOUND),
  user("and now?"),
  says("I stopped."),
];

const withoutHeaderId = (entries: TranscriptEntry[]): TranscriptEntry[] =>
  entries.map((entry) => (entry["type"] === "session" ? { ...entry, id: "" } : entry));

/** What tests rely on of a release that is driven in-process; it must be installed. */
export function drives(release: string): void {
  describe(`OpenClaw ${release}, driven in-process`, () => {
    cases(release);
  });
}

function cases(release: string): void {
  const root = join(releasesFolder(), release, "stock");
  let provider: StrictProvider;
  let openclaw: OpenClawDriver;

  beforeAll(async () => {
    provider = await startProvider();
    openclaw = await startOpenClaw({ root, release, providerUrl: provider.url, turnTimeoutMs: TURN_TIMEOUT_MS });
  });
  afterAll(async () => {
    await openclaw?.close();
    await provider?.close();
  });
  beforeEach(() => provider.reset());

  test("answers on a healthy session with a tool call, on every API that it can talk", async () => {
    expect(openclaw.apis.length).toBeGreaterThanOrEqual(4);
    for (const api of openclaw.apis) {
      provider.reset();
      const run = await openclaw.run({ transcript: toTranscript(HEALTHY), api, messages: ["hello", "again"] });
      // Compared as a whole, so that a failure names the API.
      const sent = provider.requests.map((request) => ({
        api: request.api,
        violations: request.violations,
        history: request.raw.includes(FOUND),
      }));
      const good = { api, violations: [], history: true };
      expect({ api, turns: run.turns, sent }).toMatchObject({
        turns: [
          { answered: true, text: "ok 1" },
          { answered: true, text: "ok 2" },
        ],
        sent: [good, good],
      });
      expect(provider.requests[1]?.raw).toContain("ok 1");
    }
  });

  test("executes a tool for real", async () => {
    provider.script({ kind: "tool", calls: [{ name: "read", arguments: { path: WORKSPACE_NOTE.path } }] });
    const run = await openclaw.run({
      transcript: toTranscript(HEALTHY),
      api: "anthropic-messages",
      messages: ["read it"],
    });
    expect(run.turns).toMatchObject([{ answered: true }]);
    expect(provider.requests.at(-1)?.raw).toContain(WORKSPACE_NOTE.text);
    const stored = (await run.readTranscript()).map((entry) => JSON.stringify(entry));
    expect(stored.filter((entry) => entry.includes(WORKSPACE_NOTE.text))).toHaveLength(1);
  });

  /** How many turns of a long history a release sends. */
  const sent = async (historyLimit?: number): Promise<number> => {
    provider.reset();
    await openclaw.run({ transcript: LONG.transcript, api: "anthropic-messages", messages: ["hello"], historyLimit });
    return LONG.countIn(provider.requests[0]?.raw);
  };

  test("cuts the history at the limit of the channel", async () => {
    expect(await sent()).toBe(LONG.turns);
    // On loading a session the limit counts the stored user turns; the message of the day is not among them yet.
    expect(await sent(3)).toBe(3);
  });

  test("tells a session that is bricked from one that is not, by what the provider said", async () => {
    const run = await openclaw.run({
      transcript: toTranscript(BRICK),
      api: "anthropic-messages",
      messages: ["hello", "again"],
    });
    const refused = provider.requests.findLast(({ status }) => status === 400)?.error;
    const answered = refused === undefined;
    expect(run.turns).toMatchObject([{ answered }, { answered }]);
    if (!answered) expect(refused).toContain("unexpected `tool_use_id` found in `tool_result` blocks: toolu_1");
    // Measured: the orphan in this history bricks 2026.2.3, and 2026.9.6 answers.
    if (release === "2026.2.3" || release === "2026.9.6") expect(answered).toBe(release === "2026.9.6");
  });

  test("does not take an error text for an answer", async () => {
    provider.script({ kind: "fault", fault: "400-roles-alternate" });
    const run = await openclaw.run({
      transcript: toTranscript(HEALTHY),
      api: "anthropic-messages",
      messages: ["hello"],
    });
    expect(run.turns).toMatchObject([{ answered: false }]);
    expect(run.turns[0]?.error).toBeTruthy();
    expect(await run.send("again")).toMatchObject({ answered: true });
  });

  test("gives up a turn that hangs", async () => {
    provider.script({ kind: "fault", fault: "hang" });
    const transcript = toTranscript(HEALTHY);
    const run = await openclaw.run({
      transcript,
      api: "anthropic-messages",
      messages: ["hello"],
      turnTimeoutMs: patience(3_000),
    });
    expect(run.turns).toMatchObject([{ answered: false }]);
    // By the session's limit, not by the driver's.
    expect(run.turns[0]?.ms).toBeLessThan(TURN_TIMEOUT_MS);
    expect(await run.send("again")).toMatchObject({ answered: true });
  });

  test("stores what it is given, entry by entry", async () => {
    const twice = parseLines(toTranscript(HEALTHY)).filter(isEntry);
    const repeated = toJsonl([...twice, { ...twice[2], parentId: twice[4]?.["id"] }]);
    const headers = ["none", 1, 2] as const;
    for (const transcript of [repeated, ...headers.map((header) => toTranscript(HEALTHY, { header }))]) {
      const run = await openclaw.run({ transcript, api: "anthropic-messages", messages: [] });
      // Only the header's id may be another one: it is the session's own.
      const given = parseLines(transcript).filter(isEntry);
      expect(withoutHeaderId(await run.readTranscript())).toEqual(withoutHeaderId(given));
    }
  });

  // Kills of the other one: test/recovery/interrupted-cases.ts.
  test.runIf(release !== "2026.9.6")("goes on after a kill in the middle of a turn", async () => {
    provider.script({ kind: "fault", fault: "hang" });
    const running = openclaw.run({ transcript: toTranscript(HEALTHY), api: "anthropic-messages", messages: ["hello"] });
    await expect.poll(() => provider.requests.length, { timeout: patience(60_000) }).toBe(1);
    openclaw.kill();
    const run = await running;
    expect(run.turns).toMatchObject([{ answered: false, error: expect.stringContaining("process ended") }]);
    expect(await run.send("again")).toMatchObject({ answered: true });
  });
}
