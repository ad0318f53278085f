import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startProvider, type StrictProvider } from "../providers/index.ts";
import { startOpenClaw, toTranscript, WORKSPACE_NOTE, type OpenClawDriver, type StoredMessage } from "./index.ts";
import { isEntry, parseLines, toJsonl, type TranscriptEntry } from "./transcript.ts";
import { BASE_RELEASES, installedReleases, releasesFolder } from "./releases.ts";

const installed = installedReleases();

test.each(BASE_RELEASES)("OpenClaw %s is installed", (release) => {
  const found = installed.some((one) => one.release === release);
  if (!found) throw new Error(`OpenClaw ${release} is not in ${releasesFolder()}: run \`npm ci\`, which installs it`);
  expect(found).toBe(true);
});

const USAGE = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

const user = (text: string): StoredMessage => ({ role: "user", content: [{ type: "text", text }] });

function assistant(block: Record<string, unknown>, stopReason = "stop"): StoredMessage {
  const model = { api: "anthropic-messages", provider: "anthropic", model: "claude-opus-4-5" };
  return { role: "assistant", content: [block], ...model, usage: USAGE, stopReason };
}

const says = (text: string): StoredMessage => assistant({ type: "text", text });

const result = (toolCallId: string, text: string): StoredMessage => ({
  role: "toolResult",
  toolCallId,
  toolName: "read",
  content: [{ type: "text", text }],
  isError: false,
});

const call = { type: "toolCall", id: "toolu_1", name: "read", arguments: { path: "a.txt" } };
const HEALTHY = [user("read a.txt"), assistant(call, "toolUse"), result("toolu_1", "green parrot"), says("It is read.")];
const BRICK = [
  user("read a.txt"),
  assistant({ ...call, arguments: {}, partialJson: '{"pa' }, "aborted"),
  result("toolu_1", "green parrot"),
  user("and now?"),
  says("I stopped."),
];

const withoutHeaderId = (entries: TranscriptEntry[]): TranscriptEntry[] =>
  entries.map((entry) => (entry["type"] === "session" ? { ...entry, id: "" } : entry));

describe.each(installed)("OpenClaw $release", ({ release, root }) => {
  let provider: StrictProvider;
  let openclaw: OpenClawDriver;

  beforeAll(async () => {
    provider = await startProvider();
    openclaw = await startOpenClaw({ root, release, providerUrl: provider.url, turnTimeoutMs: 60_000 });
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
        history: request.raw.includes("green parrot"),
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
    const run = await openclaw.run({ transcript: toTranscript(HEALTHY), api: "anthropic-messages", messages: ["read it"] });
    expect(run.turns).toMatchObject([{ answered: true }]);
    expect(provider.requests.at(-1)?.raw).toContain(WORKSPACE_NOTE.text);
    const stored = (await run.readTranscript()).map((entry) => JSON.stringify(entry));
    expect(stored.filter((entry) => entry.includes(WORKSPACE_NOTE.text))).toHaveLength(1);
  });

  test("cuts the history at the limit of the channel", async () => {
    const long = Array.from({ length: 12 }, (_, nth) => [user(`question ${nth}.`), says(`answer ${nth}.`)]).flat();
    const transcript = toTranscript(long);
    const sent = async (historyLimit?: number): Promise<number> => {
      provider.reset();
      await openclaw.run({ transcript, api: "anthropic-messages", messages: ["hello"], historyLimit });
      return new Set(provider.requests[0]?.raw.match(/question \d+\./g)).size;
    };
    expect(await sent()).toBe(12);
    // On loading a session the limit counts the stored user turns; the message of the day is not among them yet.
    expect(await sent(3)).toBe(3);
  });

  test("takes an aborted call with a result as facts on live faults say: 2026.2.3 is bricked, 2026.9.6 is not", async () => {
    const run = await openclaw.run({ transcript: toTranscript(BRICK), api: "anthropic-messages", messages: ["hello", "again"] });
    const answered = release !== "2026.2.3";
    expect(run.turns).toMatchObject([{ answered }, { answered }]);
    const refused = provider.requests.findLast(({ status }) => status === 400)?.error;
    expect(refused?.includes("unexpected `tool_use_id` found in `tool_result` blocks: toolu_1")).toBe(answered ? undefined : true);
  });

  test("does not take an error text for an answer", async () => {
    provider.script({ kind: "fault", fault: "400-roles-alternate" });
    const run = await openclaw.run({ transcript: toTranscript(HEALTHY), api: "anthropic-messages", messages: ["hello"] });
    expect(run.turns).toMatchObject([{ answered: false }]);
    expect(run.turns[0]?.error).toBeTruthy();
    expect(await run.send("again")).toMatchObject({ answered: true });
  });

  test("gives up a turn that hangs", async () => {
    provider.script({ kind: "fault", fault: "hang" });
    const transcript = toTranscript(HEALTHY);
    const run = await openclaw.run({ transcript, api: "anthropic-messages", messages: ["hello"], turnTimeoutMs: 3_000 });
    expect(run.turns).toMatchObject([{ answered: false }]);
    expect(run.turns[0]?.ms).toBeLessThan(9_000);
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

  test("goes on after a kill in the middle of a turn", async () => {
    provider.script({ kind: "fault", fault: "hang" });
    const running = openclaw.run({ transcript: toTranscript(HEALTHY), api: "anthropic-messages", messages: ["hello"] });
    await expect.poll(() => provider.requests.length, { timeout: 60_000 }).toBe(1);
    openclaw.kill();
    const run = await running;
    expect(run.turns).toMatchObject([{ answered: false, error: expect.stringContaining("process ended") }]);
    expect(await run.send("again")).toMatchObject({ answered: true });
  });
});
