import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { repairStored, type RepairedSession } from "../../src/health/index.ts";
import { findSummary, openCatalog, restoreRows, type Catalog } from "../../src/store/index.ts";
import {
  loadOpenClawSessions,
  type OpenClawSession,
  type OpenClawSessions,
  type SessionTarget,
} from "../../src/store/openclaw/openclaw-sessions.ts";
import { openRows } from "../../harness/openclaw/adapters/rows.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { databaseFile } from "../projection/real.ts";
import { assistant, result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript, type StoredMessage } from "../../harness/openclaw/transcript.ts";

const ROOT = join(releasesFolder(), "2026.9.6", "stock", "node_modules", "openclaw");
const call = (id: string) => assistant({ type: "toolCall", id, name: "read", arguments: { path: "a" } }, "toolUse");
const orphan = result("toolu_lost", "of nothing");

describe("the repair of a session in the database of OpenClaw 2026.9.6", () => {
  let state: string;
  let catalog: Catalog;
  let openclaw: OpenClawSessions;
  let rows: Awaited<ReturnType<typeof openRows>>;

  beforeAll(async () => {
    state = newFolder();
    process.env["OPENCLAW_STATE_DIR"] = state;
    rows = await openRows(join(ROOT, "dist"));
    openclaw = await loadOpenClawSessions(ROOT, state);
    catalog = openCatalog(state);
  });
  afterAll(() => {
    catalog.close();
  });

  async function stored(
    messages: readonly StoredMessage[],
    change: (transcript: string) => string = (transcript) => transcript,
  ): Promise<SessionTarget> {
    const sessionId = randomUUID();
    const sessionKey = `agent:main:${sessionId}`;
    await rows.store({
      key: sessionKey,
      id: sessionId,
      transcript: change(toTranscript(messages, { seed: sessionId })),
      api: "anthropic-messages",
    });
    return {
      agentId: "main",
      sessionKey,
      sessionId,
      storePath: openclaw.resolveStorePath(undefined, { agentId: "main" }),
    };
  }
  const repairIt = ({ sessionId }: SessionTarget, force = false): Promise<RepairedSession> =>
    repairStored(catalog, findSummary(catalog, sessionId), { stateDirectory: state, root: () => ROOT, force });
  const open = (target: SessionTarget): OpenClawSession => openclaw.open(target);
  /** What OpenClaw itself says of the conversation: roles and types. */
  const describeShape = (target: SessionTarget): string[] =>
    open(target)
      .getBranch()
      .map((entry) => ("message" in entry ? String((entry.message as StoredMessage)["role"]) : entry.type));

  it.each<[string, StoredMessage[], string[]]>([
    ["a result without a call, at the end", [user("go"), says("yes"), orphan], ["user", "assistant", "custom"]],
    [
      "a result without a call, in the middle",
      [user("go"), says("yes"), orphan, user("and?"), says("no")],
      ["user", "assistant", "user", "assistant"],
    ],
    [
      "a result far from its call",
      [user("go"), call("toolu_1"), user("well?"), result("toolu_1", "done"), says("yes")],
      ["user", "assistant", "toolResult", "user", "assistant"],
    ],
  ])("%s", async (_, messages, shape) => {
    const target = await stored(messages);
    const before = open(target).getEntries().length;
    expect(await repairIt(target)).toMatchObject({ action: "repaired", after: { violations: [], entries: [] } });
    expect(describeShape(target)).toEqual(shape);
    // Nothing is deleted, and a second repair finds nothing.
    expect(catalog.read(findSummary(catalog, target.sessionId)).rows.length).toBeGreaterThan(before);
    expect(await repairIt(target)).toMatchObject({ action: "sound" });
  });

  it("summaries and notes between the messages stand where they stood", async () => {
    const target = await stored([user("go"), says("yes"), orphan]);
    const session = open(target);
    session.appendCustomMessageEntry("note", "between", true);
    session.appendMessage(user("and?"), { idempotencyLookup: "caller-checked" });
    expect(await repairIt(target)).toMatchObject({ action: "repaired" });
    expect(describeShape(target)).toEqual(["user", "assistant", "custom_message", "user"]);
  });

  it("what had fallen off the path stands on it again", async () => {
    const target = await stored([user("go"), says("yes"), user("and?"), says("no")], (transcript) => {
      const lines = transcript
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      lines[3]!["parentId"] = "nowhere";
      return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    });
    expect(describeShape(target)).toEqual(["user", "assistant"]);
    expect(await repairIt(target)).toMatchObject({ action: "repaired", before: { entries: ["unknown_parent"] } });
    expect(describeShape(target)).toEqual(["user", "assistant", "user", "assistant"]);
  });

  it("with an index that is out of date besides: both are put right", async () => {
    const target = await stored([user("go"), says("yes"), orphan]);
    const database = new DatabaseSync(databaseFile(state), { timeout: 5000 });
    database
      .prepare("UPDATE session_transcript_index_state SET needs_rebuild = 1 WHERE session_id = ?")
      .run(target.sessionId);
    database.close();
    const repaired = await repairIt(target);
    expect(repaired).toMatchObject({
      action: "repaired",
      before: { index: "outdated_index", violations: [{ kind: "orphaned_tool_result" }] },
      after: { violations: [] },
    });
    expect(repaired.after).not.toHaveProperty("index");
    expect(await repairIt(target)).toMatchObject({ action: "sound" });
  });

  it("is refused while OpenClaw says that it is being answered, and done with force", async () => {
    const target = await stored([user("go"), orphan]);
    await openclaw.patchSessionEntry({
      ...target,
      skipMaintenance: true,
      update: (entry) => ({ ...entry, status: "running" }),
    });
    await expect(repairIt(target)).rejects.toMatchObject({ code: "session-busy" });
    expect(describeShape(target)).toEqual(["user", "toolResult"]);
    expect(await repairIt(target, true)).toMatchObject({ action: "repaired" });
  });

  it("can be taken back", async () => {
    const target = await stored([user("go"), orphan, user("and?")]);
    const { archive } = await repairIt(target);
    expect(describeShape(target)).toEqual(["user", "user"]);
    await restoreRows({ archive: archive!, root: ROOT });
    const { sessionId } = openclaw.getSessionEntry(target)!;
    expect(describeShape({ ...target, sessionId: sessionId! }).filter((type) => type !== "custom")).toEqual([
      "user",
      "toolResult",
      "user",
    ]);
  });
});
