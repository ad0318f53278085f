import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { contentHash, journalFile, openJournal, type Checkpoint } from "../../src/journal/index.ts";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { toTranscript, type TranscriptEntry } from "../../harness/openclaw/index.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { FOUND, HEALTHY } from "../../harness/openclaw/samples.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { chosenReleases } from "./chosen-releases.ts";
import { rollBack, userEnvironment, type Run } from "./fixture.ts";
import { patience } from "../../harness/patience.ts";

const KEY = "agent:main:main";
const installed = chosenReleases(BASE_RELEASES);

describe.each(installed)("with the gateway of OpenClaw $release", ({ release, root }) => {
  const openclawRoot = join(root, "node_modules", "openclaw");
  let provider: StrictProvider;
  let gateway: Gateway;

  beforeAll(async () => {
    provider = await startProvider();
  });
  afterAll(async () => provider?.close());
  beforeEach(async () => {
    provider.reset();
    gateway = await openGateway({ root, release, providerUrl: provider.url });
    // Of today: some releases begin a new session when the present one is of another day.
    await gateway.seed(KEY, toTranscript(HEALTHY, { start: new Date().toISOString() }));
    await gateway.start();
    await gateway.send(KEY, "first question");
  });
  afterEach(async () => gateway?.close());

  const rollback = (...args: string[]): Run =>
    rollBack(openclawRoot, args, { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: gateway.stateDir });
  /**
   * A checkpoint of where the conversation stands, as the guard keeps one: the last entry, and the hash of the messages
   * up to it.
   */
  const checkpointHere = async (change: Partial<Checkpoint> = {}): Promise<Checkpoint> => {
    const entries = await gateway.stored(KEY);
    const path = activePath(entries);
    const sessionId = indexedId(gateway.stateDir) ?? String(entries.find(({ type }) => type === "session")?.["id"]);
    const messages = path.filter(({ type }) => type === "message").map(({ message }) => message);
    const at = {
      firstEntryId: String(path[0]?.["id"]),
      leafEntryId: String(path.at(-1)?.["id"]),
      messageIndex: messages.length,
      contentHash: contentHash(messages),
    };
    const journal = openJournal(journalFile(gateway.stateDir));
    const made = journal.checkpoints.create({ sessionId, operation: "api_call", ...at, ...change });
    journal.close();
    return made;
  };
  /**
   * The last request with this text, as messages without the times and ids that OpenClaw puts around a user's words.
   */
  const requestWith = (text: string): unknown[] => {
    const raw = provider.requests.findLast((request) => request.raw.includes(text))?.raw ?? "{}";
    const bare = raw.replaceAll(/\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d [A-Z]+\] |\\n\[message_id: [^\]]*\]/g, "");
    return (JSON.parse(bare) as { messages?: unknown[] }).messages ?? [];
  };

  test("it goes on from the checkpoint at the next message, also while the gateway runs, and a rollback to where it stood takes that back", async () => {
    const first = requestWith("first question");
    const checkpoint = await checkpointHere();
    await gateway.send(KEY, "second question");
    const before = await gateway.stored(KEY);
    const done = rollback(checkpoint.id);
    expect(done).toMatchObject({
      status: 0,
      data: { ok: true, action: "rolled-back", messagesLeft: 2, calls: [], warnings: [] },
    });
    expect(rollback(checkpoint.id)).toMatchObject({ status: 0, data: { action: "already" } });

    expect((await gateway.send(KEY, "third question")).finalText).toMatch(/^ok \d+/);
    const third = requestWith("third question");
    expect(listTexts(third)).toEqual([...listTexts(first), "ok 1", done.data["note"], "third question"]);
    expect(JSON.stringify(third)).toContain(FOUND);
    expect((await gateway.stored(KEY)).slice(0, before.length), "a row was changed or deleted").toEqual(before);

    await gateway.kill();
    const back = rollback(String(done.data["kept"]));
    expect(back).toMatchObject({ status: 0, data: { action: "rolled-back", messagesBack: 2, messagesLeft: 2 } });
    await gateway.start();
    expect((await gateway.send(KEY, "fourth question")).finalText).toMatch(/^ok \d+/);
    expect(listTexts(requestWith("fourth question"))).toEqual([
      ...listTexts(first),
      "ok 1",
      "second question",
      "ok 2",
      back.data["note"],
      "fourth question",
    ]);

    provider.script({ kind: "fault", fault: "hang" });
    const { length } = provider.requests;
    const sent = gateway.send(KEY, "fifth question").catch(() => undefined);
    await expect.poll(() => provider.requests.length, { timeout: patience(60_000) }).toBeGreaterThan(length);
    expect(rollback(checkpoint.id)).toMatchObject({
      status: 1,
      data: { ok: false, code: "session-busy" },
    });
    await gateway.kill();
    await sent;
  }, 600_000);
});

/**
 * The active path: of the entries from the last one upwards. Fits what a gateway has stored that was never taken back.
 */
function activePath(entries: readonly TranscriptEntry[]): TranscriptEntry[] {
  const byId = new Map(entries.filter(({ type }) => type !== "session").map((entry) => [entry["id"], entry]));
  const path: TranscriptEntry[] = [];
  for (let entry = entries.at(-1); entry; entry = byId.get(entry["parentId"])) path.unshift(entry);
  return path;
}

/** The session that the conversation has, by the list beside transcripts that are files. */
function indexedId(stateDir: string): string | undefined {
  const file = join(stateDir, "agents", "main", "sessions", "sessions.json");
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, { sessionId: string }>)[KEY]?.sessionId
    : undefined;
}

/** The texts of request messages, in order. */
function listTexts(messages: readonly unknown[]): string[] {
  return messages.flatMap((message) => {
    const { content } = message as { content: unknown };
    const blocks = Array.isArray(content)
      ? (content as { type?: string; text?: string }[])
      : [{ type: "text", text: String(content) }];
    return blocks.filter(({ type }) => type === "text").map(({ text = "" }) => text);
  });
}
