import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { keepTranscript } from "../../src/guard/base/archive.ts";
import { writeManifest } from "../../src/store/archives/manifest.ts";
import { cli, userEnvironment, type Run } from "../cli/fixture.ts";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { WORKSPACE_NOTE } from "../../harness/openclaw/index.ts";
import { BASE_RELEASES, releasesFolder } from "../../harness/openclaw/releases.ts";
import { pluginSettings } from "../../harness/gateway/plugin-settings.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { wordsIn, wordsInOurFiles } from "./bytes.ts";
import { patience } from "../../harness/patience.ts";

const ADMIN = ["operator.read", "operator.write", "operator.admin"];
const LIST = "openclaw-integrity-sessions.sqlite";
/** What a plugin does by itself it does soon. */
const SOON = { timeout: patience(30_000), interval: 200 };
const HOURS_AGO_MS = 2 * 3_600_000;

describe.each(BASE_RELEASES)("beside a running gateway of OpenClaw %s", (release) => {
  const root = join(releasesFolder(), release, "patched");
  const isFiles = release === "2026.2.3";
  let provider: StrictProvider;
  let gateway: Gateway;

  beforeAll(async () => {
    provider = await startProvider();
    const settings = pluginSettings(join(root, "node_modules", "openclaw", "dist"), {
      continuity: { enabled: true },
      snapshotMessages: true,
      logLevel: "info",
    });
    gateway = await openGateway({
      root,
      release,
      providerUrl: provider.url,
      scopes: ADMIN,
      settings,
      tools: ["read", "exec", "continuity_create_goal"],
    });
    await gateway.start();
  });
  afterAll(async () => {
    await gateway?.close();
    await provider?.close();
  });

  const openclawIntegrity = (...args: string[]): Run =>
    cli(args, newFolder(), { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: gateway.stateDir });
  const purge = (name: string): Run => openclawIntegrity("purge", name, "--yes", "--json");
  const makeKey = (name: string): string => `agent:main:${name}`;
  const makeWords = (name: string): string[] => ["said", "goal", "again"].map((what) => `${name}-${what}-quokka`);
  const found = (name: string): string[] => wordsInOurFiles(gateway.stateDir, makeWords(name));
  const findSessionId = (key: string): string => {
    const sessions = openclawIntegrity("sessions", "list", "--json").data["sessions"] as {
      sessionId: string;
      sessionKey?: string;
      isCurrent: boolean;
    }[];
    return sessions.find((one) => one.sessionKey === key && one.isCurrent)!.sessionId;
  };

  /**
   * A conversation of which something is kept wherever something is: words in checkpoints, an archive, recorded work, a
   * name.
   */
  async function converse(name: string): Promise<string> {
    const [said, goal, again] = makeWords(name);
    const key = makeKey(name);
    provider.script({ kind: "tool", calls: [{ name: "continuity_create_goal", arguments: { text: goal! } }] });
    await gateway.send(key, `please remember ${said}`);
    provider.script({ kind: "tool", calls: [{ name: "read", arguments: { path: WORKSPACE_NOTE.path } }] });
    expect((await gateway.send(key, `and ${again}`)).finalText).toMatch(/^ok/);
    const id = findSessionId(key);
    if (isFiles) keepTranscript(join(gateway.stateDir, "agents", "main", "sessions", `${id}.jsonl`));
    else
      writeManifest(gateway.stateDir, { sessionId: id, sessionKey: key, leafEntryId: "x", messages: 1, sha256: "0" });
    expect(openclawIntegrity("timeline", "mark", key, `${name}-name`).status).toBe(0);
    await expect.poll(() => new Set(found(name).map((one) => one.split(":")[0])).size, SOON).toBe(3);
    await expect
      .poll(
        () =>
          wordsIn(join(gateway.stateDir, LIST), [key]).length +
          wordsIn(join(gateway.stateDir, `${LIST}-wal`), [key]).length,
        SOON,
      )
      .toBeGreaterThan(0);
    return id;
  }

  it("a purge leaves nothing of a conversation in our files, which is answered and remembers its work anew afterwards", async () => {
    const id = await converse("first");
    await converse("second");
    const { status, data } = purge(makeKey("first"));
    expect({ status, ...data }).toMatchObject({
      status: 0,
      action: "purged",
      sessions: [id],
      conversations: [makeKey("first")],
      left: [],
    });
    expect((data["found"] as { kind: string }[]).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining([
        "tool_calls",
        "checkpoints",
        "recorded_work",
        "names",
        "node_hashes",
        "session_list",
        isFiles ? "archive" : "path_note",
      ]),
    );
    expect(found("first")).toEqual([]);
    expect(new Set(found("second").map((one) => one.split(":")[0])).size).toBe(3);
    // OpenClaw's own is told of, and there.
    expect(data["openclaw"]).not.toEqual([]);
    expect(JSON.stringify(await gateway.stored(makeKey("first")))).toContain("first-said-quokka");
    provider.script({ kind: "tool", calls: [{ name: "continuity_create_goal", arguments: { text: "another goal" } }] });
    expect((await gateway.send(makeKey("first"), "go on")).finalText).toMatch(/^ok/);
    const { raw } = provider.requests.at(-1)!;
    expect(raw).toContain("first-said-quokka");
    expect(
      openclawIntegrity("continuity", "status", "--project", makeKey("first"), "--json").data["goals"],
    ).toMatchObject([{ text: "another goal" }]);
    // No line of the guard's or the plugin's says that something of theirs was taken away.
    expect(gateway.log()).not.toMatch(/integrity\].*journal: (?:expected|.*damaged)|recorded work cannot be used/);
  });

  it("a purge is refused while the conversation is answered, and made once it is over", async () => {
    const key = makeKey("second");
    provider.script({ kind: "text", text: "one two three four five six", pace: 1500, pieces: 6 });
    const sent = gateway.send(key, "take your time");
    const { length } = provider.requests;
    await expect.poll(() => provider.requests.length + 1, { timeout: patience(60_000) }).toBeGreaterThan(length);
    await sleep(1500);
    expect(purge(key)).toMatchObject({ status: 1, data: { code: "session-busy" } });
    await sent;
    await expect
      .poll(() => purge(key).data, { timeout: patience(30_000), interval: 1000 })
      .toMatchObject({ action: "purged" });
    expect(found("second")).toEqual([]);
  });

  it("what OpenClaw deletes is deleted here too, and what it only resets is not", async () => {
    const id = await converse("third");
    const resetId = await converse("fourth");
    expect(await gateway.request("sessions.delete", { key: makeKey("third") })).toMatchObject({ ok: true });
    await gateway.request("sessions.reset", { key: makeKey("fourth") });
    if (isFiles) {
      // OpenClaw 2026.2.3 tells nobody: a look finds it, and an hour later another one follows it.
      await gateway.restart();
      const list = join(gateway.stateDir, LIST);
      const seen = (): unknown[] =>
        withDatabase(list, (database) =>
          database
            .prepare("SELECT session_id, session_key FROM deletions")
            .all()
            .map(({ session_id, session_key }) => [session_id, session_key]),
        );
      await expect.poll(seen, SOON).toEqual([[id, makeKey("third")]]);
      expect(new Set(found("third").map((one) => one.split(":")[0])).size).toBe(3);
      await gateway.kill();
      withDatabase(list, (database) => database.exec(`UPDATE deletions SET seen_at = seen_at - ${HOURS_AGO_MS}`));
      await gateway.start();
    }
    await expect.poll(() => found("third"), SOON).toEqual([]);
    await expect.poll(() => gateway.log(), SOON).toContain(`deleted the data of ${id}`);
    expect(new Set(found("fourth").map((one) => one.split(":")[0])).size).toBe(3);
    expect(openclawIntegrity("purge", "--list", "--json").data["leftBehind"]).not.toContainEqual(
      expect.objectContaining({ sessionId: id }),
    );
    // OpenClaw keeps a copy of what it deletes, which a purge tells of.
    const told = openclawIntegrity("purge", id, "--dry-run", "--json").data["openclaw"] as {
      what: string;
      place: string;
    }[];
    expect(told.some(({ place }) => /\.deleted\.|openclaw-agent\.sqlite/.test(place))).toBe(true);
    expect(purge(resetId)).toMatchObject({ status: 0 });
    await gateway.kill();
    // Also when everything is written out.
    expect(found("third")).toEqual([]);
    for (const name of readdirSync(gateway.stateDir))
      if (name.startsWith("openclaw-integrity"))
        expect(
          wordsIn(join(gateway.stateDir, name), [id, makeKey("third")]).filter(
            () => readFileSync(join(gateway.stateDir, name)).length > 0,
          ),
          name,
        ).toEqual([]);
  });
});

function withDatabase<Value>(file: string, work: (database: DatabaseSync) => Value): Value {
  const database = new DatabaseSync(file, { timeout: 5000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}
