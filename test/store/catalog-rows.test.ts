import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { toConversation } from "../../src/health/index.ts";
import { findSummary, openCatalog, type Catalog } from "../../src/store/index.ts";
import { loadOpenClawSessions, type OpenClawSession } from "../../src/store/openclaw/openclaw-sessions.ts";
import { openRows } from "../../harness/openclaw/adapters/rows.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";

const ROOT = join(releasesFolder(), "2026.9.6", "stock", "node_modules", "openclaw");

describe("the rows of OpenClaw 2026.9.6, read without it", () => {
  let state: string;
  let catalog: Catalog;
  let session: OpenClawSession;
  const id = randomUUID();
  const key = `agent:main:${id}`;

  beforeEach(async () => {
    state = newFolder();
    process.env["OPENCLAW_STATE_DIR"] = state;
    const rows = await openRows(join(ROOT, "dist"));
    await rows.store({
      key,
      id,
      transcript: toTranscript([user("go"), says("yes"), result("toolu_lost", "of nothing")], { seed: id }),
      api: "anthropic-messages",
    });
    const openclaw = await loadOpenClawSessions(ROOT, state);
    session = openclaw.open({
      agentId: "main",
      sessionKey: key,
      sessionId: id,
      storePath: openclaw.resolveStorePath(undefined, { agentId: "main" }),
    });
    catalog = openCatalog(state);
  });
  afterEach(() => {
    catalog.close();
  });

  const messages = (): unknown[] => [
    ...toConversation(catalog.read(findSummary(catalog, id)), { sessionId: id }).messages,
  ];
  /** What OpenClaw itself says of the path. */
  const expected = (): unknown[] => session.getBranch().flatMap((entry) => ("message" in entry ? [entry.message] : []));
  const watermark = (): string => findSummary(catalog, key).watermark;

  it("the same messages as by OpenClaw's own session manager, long ones and branches included; the watermark tells of every write", () => {
    expect(messages()).toEqual(expected());
    expect(messages()).toHaveLength(3);
    const before = watermark();
    expect(watermark()).toBe(before);
    // Long enough to be compressed.
    session.appendMessage(user("lorem ipsum ".repeat(2000)));
    expect(messages()).toEqual(expected());
    expect(messages()).toHaveLength(4);
    expect(watermark()).not.toBe(before);
    const branch = session.getBranch();
    session.branch(branch[1]!.id);
    session.appendMessage(user("something else"));
    expect(messages()).toEqual(expected());
    expect(messages()).toHaveLength(3);
  });

  it("a list says which conversation goes on in it, and nothing of what was said", () => {
    const { sessions, problems } = catalog.list();
    expect(problems).toEqual([]);
    expect(sessions).toMatchObject([
      { kind: "rows", agentId: "main", sessionId: id, sessionKey: key, isCurrent: true },
    ]);
    expect(catalog.list("nobody")).toEqual({ sessions: [], problems: [] });
  });
});
