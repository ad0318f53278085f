import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { startOpenClaw, toTranscript, type OpenClawDriver, type RunResult } from "../../harness/openclaw/index.ts";
import { installedReleases } from "../../harness/openclaw/releases.ts";
import { FOUND, HEALTHY } from "../../harness/openclaw/samples.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { chosenReleases } from "./chosen-releases.ts";
import { cli, userEnvironment } from "./fixture.ts";

const RESET = fileURLToPath(new URL("reset-rows.ts", import.meta.url));
const installed = chosenReleases(["2026.9.6"]);

describe.each(installed)("OpenClaw $release", ({ release, root }) => {
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

  const answered = async (text: string): Promise<RunResult> => {
    const run = await openclaw.run({ transcript: toTranscript(HEALTHY), api: "anthropic-messages", messages: [text] });
    expect(run.turns).toMatchObject([{ answered: true }]);
    return run;
  };
  const reset = ({ sessionKey, sessionId }: RunResult, ...events: string[]): string => {
    const env = { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: openclaw.stateDir };
    return (
      execFileSync(process.execPath, ["--no-warnings", RESET, openclawRoot, sessionKey, sessionId, ...events], {
        env,
        encoding: "utf8",
      })
        .split("\n")
        .at(-1) ?? ""
    );
  };
  const restore = (archive: string, ...more: string[]) =>
    cli(
      ["sessions", "restore", archive, "--path", openclawRoot, "--json", ...more],
      newFolder(),
      userEnvironment(newFolder()),
    );
  const lastRequest = (): string => provider.requests.at(-1)?.raw ?? "";

  test("the history before a reset is back byte for byte and in the next request, and what came since can be restored too", async () => {
    const run = await answered("first question");
    const before = await run.readTranscript();
    const archive = reset(run);
    expect(await run.send("second question")).toMatchObject({ answered: true });
    expect(lastRequest()).not.toContain("first question");

    const dry = restore(archive, "--dry-run");
    expect(dry).toMatchObject({ status: 0, data: { ok: true, kind: "rows", action: "would-restore" } });
    const first = restore(archive);
    expect(first).toMatchObject({
      status: 0,
      data: { ok: true, action: "restored", sessionKey: run.sessionKey, messages: 6, warnings: [] },
    });
    const path = listIds(before);
    expect(readRows(openclaw.stateDir, first.data["sessionId"], path)).toEqual(
      readRows(openclaw.stateDir, run.sessionId, path),
    );
    expect(listIds(await run.readTranscript())).toEqual(path);
    expect(restore(archive)).toMatchObject({ status: 0, data: { action: "already" } });

    expect(await run.send("third question")).toMatchObject({ answered: true });
    const third = lastRequest();
    for (const text of [FOUND, "first question", "third question"]) expect(third).toContain(text);
    expect(third).not.toContain("second question");

    const back = restore(String(first.data["kept"]));
    expect(back).toMatchObject({ status: 0, data: { action: "restored", sessionId: run.sessionId } });
    expect(await run.send("fourth question")).toMatchObject({ answered: true });
    expect(lastRequest()).toContain("second question");
    expect(lastRequest()).not.toContain("first question");
  });

  test("also when the run had loaded the end of the session only, and behind a reset of OpenClaw's own", async () => {
    const run = await answered("first question");
    const archive = reset(run, "4");
    expect(JSON.parse(readFileSync(archive, "utf8"))).toMatchObject({ messages: expect.any(Number) });
    reset(run);
    expect(restore(archive)).toMatchObject({ status: 0, data: { action: "restored" } });
    expect(await run.send("second question")).toMatchObject({ answered: true });
    for (const text of [FOUND, "first question", "second question"]) expect(lastRequest()).toContain(text);
  });

  test("refused, and nothing is changed: rows that were changed, rows that are gone, a conversation that is not there", async () => {
    const run = await answered("first question");
    const archive = reset(run);
    const manifest = JSON.parse(readFileSync(archive, "utf8")) as Record<string, unknown>;
    const changed = (name: string, change: Record<string, unknown>): string => {
      const file = join(dirname(archive), `${name}.json`);
      writeFileSync(file, JSON.stringify({ ...manifest, ...change }));
      return file;
    };
    const before = await run.readTranscript();
    const cases: readonly (readonly [string, string, string])[] = [
      [changed("hash", { sha256: "0".repeat(64) }), "archive-damaged", String(manifest["sha256"])],
      [changed("leaf", { leafEntryId: "gone" }), "archive-damaged", "expected entry gone in session"],
      [changed("agent", { agentId: "nobody", sessionKey: "agent:nobody:main" }), "session-missing", "no such agent"],
      [changed("key", { sessionKey: "agent:main:telegram:dm:nobody" }), "session-missing", "no such conversation"],
      [changed("later", { version: 2 }), "archive-foreign", "version 2"],
    ];
    for (const [file, code, text] of cases) {
      expect(restore(file)).toMatchObject({
        status: 1,
        data: { ok: false, code, message: expect.stringContaining(text) },
      });
    }
    expect(await run.readTranscript()).toEqual(before);
    expect(existsSync(join(openclaw.stateDir, "agents", "nobody"))).toBe(false);
    expect(restore(archive)).toMatchObject({ status: 0, data: { action: "restored" } });
  });
});

test.skipIf(!installedReleases().some(({ release }) => release === "2026.2.3"))(
  "an OpenClaw that has no such sessions is refused, and named",
  () => {
    const { root } = installedReleases().find(({ release }) => release === "2026.2.3") ?? { root: "" };
    const folder = join(newFolder(), "integrity-archives");
    const archive = join(folder, "a.json");
    execFileSync("mkdir", [folder]);
    writeFileSync(
      archive,
      JSON.stringify({
        format: "openclaw-integrity archive",
        version: 1,
        sessionId: "a",
        leafEntryId: "b",
        messages: 1,
        sha256: "c",
      }),
    );
    const run = cli(
      ["sessions", "restore", archive, "--json", "--path", join(root, "node_modules", "openclaw")],
      newFolder(),
      userEnvironment(newFolder()),
    );
    expect(run).toMatchObject({
      status: 1,
      data: { ok: false, code: "openclaw-unfit", message: expect.stringContaining("found OpenClaw 2026.2.3") },
    });
  },
);

/** The ids of what is on the path to the last entry before a reset: all rows but the header. */
function listIds(entries: readonly Record<string, unknown>[]): string[] {
  return entries.filter(({ type }) => type !== "session").map(({ id }) => String(id));
}

/** The stored bytes of these entries of a session, in their order. */
function readRows(stateDir: string, sessionId: unknown, ids: readonly string[]): string[] {
  const database = new DatabaseSync(join(stateDir, "agents/main/agent/openclaw-agent.sqlite"), { readOnly: true });
  const rows = database
    .prepare("SELECT * FROM transcript_events WHERE session_id = ? ORDER BY seq")
    .all(String(sessionId));
  database.close();
  const texts = new Map(
    rows.map(({ event_json: json, event_zstd: packed }) => {
      const text = typeof json === "string" ? json : zstdDecompressSync(packed as Uint8Array).toString("utf8");
      return [(JSON.parse(text) as { id: string }).id, text] as const;
    }),
  );
  return ids.map((id) => texts.get(id) ?? `no row ${id}`);
}
