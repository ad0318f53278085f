/**
 * `openclaw-integrity timeline` with the rows of OpenClaw 2026.9.6: moves to before a reset, and names in the copy that
 * such a move makes.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { startOpenClaw, toTranscript, type OpenClawDriver } from "../../harness/openclaw/index.ts";
import { FOUND, HEALTHY } from "../../harness/openclaw/samples.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { chosenReleases } from "./chosen-releases.ts";
import { cli, userEnvironment, type Run } from "./fixture.ts";

const RESET = fileURLToPath(new URL("reset-rows.ts", import.meta.url));
const installed = chosenReleases(["2026.9.6"]);

describe.each(installed)("with the rows of OpenClaw $release", ({ release, root }) => {
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

  test("a place behind a reset is gone to in a copy; there each node has its hash, and a name stands where it stood", async () => {
    const environment = { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: openclaw.stateDir };
    const timeline = (...args: string[]): Run => cli(["timeline", ...args, "--json"], newFolder(), environment);
    const lastRequest = (): string => provider.requests.at(-1)?.raw ?? "";
    const run = await openclaw.run({
      transcript: toTranscript(HEALTHY),
      api: "anthropic-messages",
      messages: ["first question"],
    });
    expect(run.turns).toMatchObject([{ answered: true }]);
    const { sessionKey, sessionId } = run;
    const named = timeline("mark", sessionKey, "before-the-reset");
    expect(named).toMatchObject({ status: 0 });
    type Places = { nodes: { id: string; hash: string; role: string }[] };
    const before = timeline("show", sessionKey, "--limit", "100").data as unknown as Places;

    execFileSync(process.execPath, ["--no-warnings", RESET, openclawRoot, sessionKey, sessionId], { env: environment });
    expect(await run.send("second question")).toMatchObject({ answered: true });
    expect(lastRequest()).not.toContain("first question");
    expect(timeline("rewind", sessionKey, "root", "--path", openclawRoot)).toMatchObject({
      status: 1,
      data: { code: "openclaw-failed", message: expect.stringContaining("a later reset") as string },
    });

    const done = timeline("rewind", sessionKey, "before-the-reset", "--note", "go on here", "--path", openclawRoot);
    expect(done).toMatchObject({ status: 0, data: { action: "rewound", targetId: named.data["node"], sessionKey } });
    expect(done.data["sessionId"]).not.toBe(sessionId);
    expect(await run.send("third question")).toMatchObject({ answered: true });
    for (const words of [FOUND, "first question", "go on here", "third question"])
      expect(lastRequest()).toContain(words);
    expect(lastRequest()).not.toContain("second question");

    const after = timeline("show", sessionKey, "--limit", "100").data as unknown as Places;
    const hashes = after.nodes.map(({ hash }) => hash);
    for (const { hash } of before.nodes) expect(hashes).toContain(hash);
    expect(timeline("show", sessionKey).data).toMatchObject({
      marks: [{ name: "before-the-reset", node: expect.any(String) as string }],
    });
    expect(timeline("log", sessionKey).data).toMatchObject({
      actions: [
        { kind: "DEPARTURE", by: "operator" },
        { kind: "INCARNATE", by: "operator" },
      ],
    });
  });
});
