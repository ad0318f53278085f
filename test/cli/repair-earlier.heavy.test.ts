import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { startOpenClaw, toTranscript, type OpenClawDriver } from "../../harness/openclaw/index.ts";
import { result, says, user } from "../../harness/openclaw/samples.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { chosenReleases } from "./chosen-releases.ts";
import { cli, userEnvironment, type Run } from "./fixture.ts";

const FAULTY = toTranscript([
  user("a first question"),
  says("a first answer"),
  result("toolu_lost", "of nothing"),
  user("and?"),
  says("a second answer"),
]);

describe.each(chosenReleases(["2026.9.6"]))("OpenClaw $release", ({ release, root }) => {
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

  const sessions = (...args: string[]): Run =>
    cli(["sessions", ...args], newFolder(), {
      ...userEnvironment(newFolder()),
      OPENCLAW_STATE_DIR: openclaw.stateDir,
    });
  const archives = (): readonly string[] => readdirSync(join(openclaw.stateDir, "integrity-archives"));

  test("a session that its conversation has left needs no repair: none is tried or advised, and no archive is made", async () => {
    const run = await openclaw.run({ transcript: FAULTY, api: "anthropic-messages", messages: ["go on"] });
    const path = ["--path", openclawRoot];
    // A repair and its undoing leave the session that had the faults for a copy of it.
    const repaired = sessions("repair", run.sessionId, ...path, "--json");
    expect(repaired).toMatchObject({ status: 0, data: { sessions: [{ action: "repaired" }] } });
    const [{ archive = "" } = {}] = repaired.data["sessions"] as readonly { archive?: string }[];
    const restored = sessions("restore", archive, ...path, "--json");
    expect(restored).toMatchObject({ status: 0, data: { action: "restored" } });
    expect(sessions("restore", String(restored.data["kept"]), ...path, "--json")).toMatchObject({ status: 0 });
    const left = (
      sessions("list", "--json").data["sessions"] as readonly { isCurrent: boolean; sessionId: string }[]
    ).filter(({ isCurrent }) => !isCurrent);
    expect(left).toHaveLength(1);
    const kept = archives();
    const doctor = sessions("doctor");
    expect(doctor).toMatchObject({ status: 0, stdout: expect.stringContaining("needs no repair") });
    expect(doctor.stdout).not.toContain("sessions repair");
    expect(sessions("scan")).toMatchObject({ status: 0, stdout: expect.stringContaining("needs no repair") });
    expect(sessions("repair", left[0]!.sessionId, ...path)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("needs no repair, nothing was changed"),
    });
    expect(sessions("repair", "--all", ...path)).toMatchObject({ status: 0, stdout: "no session has faults\n" });
    expect(archives()).toEqual(kept);
  });
});
