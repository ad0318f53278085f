import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { keepTranscript } from "../../src/guard/base/archive.ts";
import { toArchiveId } from "../../src/store/archives/archive-id.ts";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { toTranscript } from "../../harness/openclaw/index.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { FOUND, HEALTHY } from "../../harness/openclaw/samples.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { chosenReleases } from "./chosen-releases.ts";
import { cli, userEnvironment } from "./fixture.ts";
import { patience } from "../../harness/patience.ts";

const KEY = "agent:main:main";
const RESET = fileURLToPath(new URL("reset-rows.ts", import.meta.url));
const installed = chosenReleases(BASE_RELEASES);

describe.each(installed)("with the gateway of OpenClaw $release running", ({ release, root }) => {
  const openclawRoot = join(root, "node_modules", "openclaw");
  let provider: StrictProvider;
  let gateway: Gateway;

  beforeAll(async () => {
    provider = await startProvider();
    gateway = await openGateway({ root, release, providerUrl: provider.url });
    await gateway.seed(KEY, toTranscript(HEALTHY));
    await gateway.start();
    await gateway.send(KEY, "first question");
  });
  afterAll(async () => {
    await gateway?.close();
    await provider?.close();
  });

  const restore = (archive: string, ...more: string[]) =>
    cli(
      ["sessions", "restore", archive, "--path", openclawRoot, "--json", ...more],
      newFolder(),
      userEnvironment(newFolder()),
    );
  /** What the guard does when nothing else helps; returns the archive. */
  const reset = async (): Promise<string> => {
    if (release === "2026.2.3") return resetFile(findTranscript(gateway.stateDir));
    const id = (await gateway.stored(KEY)).find(({ type }) => type === "session")?.["id"];
    const env = { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: gateway.stateDir };
    return (
      execFileSync(process.execPath, ["--no-warnings", RESET, openclawRoot, KEY, String(id)], { env, encoding: "utf8" })
        .split("\n")
        .at(-1) ?? ""
    );
  };
  const answeredTo = async (text: string): Promise<string> => {
    const { length } = provider.requests;
    await gateway.send(KEY, text);
    return provider.requests.slice(length).find(({ raw }) => raw.includes(text))?.raw ?? "";
  };

  test("the restored history is in its next request and in what its clients are shown", async () => {
    const archive = await reset();
    const second = await answeredTo("second question");
    expect(second).toContain("second question");
    expect(second).not.toContain("first question");
    // By the id that the notice in the chat shows; a file's path does as well, and a slip is no archive.
    const env = { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: gateway.stateDir };
    const byId = (id: string) => cli(["sessions", "restore", id, "--path", openclawRoot, "--json"], newFolder(), env);
    expect(byId("0123456789ab")).toMatchObject({ status: 1 });
    expect(byId(toArchiveId(archive))).toMatchObject({ status: 0, data: { ok: true, action: "restored" } });
    const third = await answeredTo("third question");
    for (const text of [FOUND, "first question"]) expect(third).toContain(text);
    expect(third).not.toContain("second question");
    const shown = JSON.stringify(await gateway.history(KEY));
    for (const text of ["first question", "third question"]) expect(shown).toContain(text);
    expect(shown).not.toContain("second question");
  });

  test("refused while it answers in that session; done once it has been killed", async () => {
    const archive = await reset();
    provider.script({ kind: "fault", fault: "hang" });
    const { length } = provider.requests;
    const sent = gateway.send(KEY, "fourth question").catch(() => undefined);
    await expect.poll(() => provider.requests.length, { timeout: patience(60_000) }).toBeGreaterThan(length);
    expect(restore(archive)).toMatchObject({ status: 1, data: { ok: false, code: "session-busy" } });
    await gateway.kill();
    await sent;
    provider.reset();
    const forced = release === "2026.2.3" ? [] : ["--force"];
    expect(restore(archive, ...forced)).toMatchObject({ status: 0, data: { ok: true, action: "restored" } });
    await gateway.start();
    // 2026.9.6 takes up the interrupted turn by itself and lets later messages wait behind it.
    await gateway.send(KEY, "fifth question");
    await expect.poll(() => provider.requests.at(-1)?.raw, { timeout: patience(60_000) }).toContain("first question");
  });
});

/** The file in which the conversation goes on. */
function findTranscript(stateDir: string): string {
  const folder = join(stateDir, "agents", "main", "sessions");
  const index = JSON.parse(readFileSync(join(folder, "sessions.json"), "utf8")) as Record<
    string,
    { sessionId: string }
  >;
  return join(folder, `${index[KEY]?.sessionId}.jsonl`);
}

/** What the guard does to a transcript that is a file: an archive, and a new beginning in the same file. */
function resetFile(file: string): string {
  const archive = keepTranscript(file);
  const entry = {
    type: "custom_message",
    customType: "openclaw-integrity",
    content: "The conversation was started anew.",
    display: false,
  };
  appendFileSync(
    file,
    `${JSON.stringify({ ...entry, id: randomUUID().slice(0, 8), parentId: null, timestamp: new Date().toISOString() })}\n`,
  );
  return archive;
}
