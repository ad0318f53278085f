import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { userEnvironment } from "../cli/fixture.ts";
import { startLive, type Live } from "../../harness/openclaw/live.ts";
import { toTranscript, type RunResult } from "../../harness/openclaw/index.ts";
import { HEALTHY } from "../../harness/openclaw/samples.ts";
import { indexState, packageFolder, RELEASE } from "./real.ts";

const WORKER = fileURLToPath(new URL("../../harness/openclaw/branch-worker.ts", import.meta.url));

describe.each(["patched", "stock"] as const)(`OpenClaw ${RELEASE}, %s: kill -9 right behind a branch`, (variant) => {
  const isPatched = variant === "patched";
  let live: Live;
  beforeAll(async () => void (live = await startLive(RELEASE, variant)));
  afterAll(() => live?.close());

  async function branched(environment: Record<string, string> = {}): Promise<RunResult> {
    const run = await live.openclaw.run({
      transcript: toTranscript(HEALTHY),
      api: "anthropic-messages",
      messages: ["first question"],
    });
    expect(run.turns).toMatchObject([{ answered: true }]);
    // What goes on in this process would make up for it.
    live.openclaw.kill();
    const env = {
      ...userEnvironment(live.openclaw.stateDir),
      OPENCLAW_STATE_DIR: live.openclaw.stateDir,
      ...environment,
    };
    const child = spawn(
      process.execPath,
      ["--no-warnings", WORKER, packageFolder(variant), run.sessionKey, run.sessionId, "3"],
      { env, stdio: "inherit" },
    );
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    return run;
  }

  it.runIf(!isPatched)("the index stays behind, and every further turn without a gateway fails", async () => {
    const run = await branched();
    expect(indexState(live.openclaw.stateDir, run.sessionId)).toMatchObject({ needs_rebuild: 1 });
    for (const question of ["second question", "third question"]) {
      const turn = await run.send(question);
      expect(turn).toMatchObject({ answered: false });
      expect(`${turn.error} ${turn.text}`).toContain("projection is rebuilding");
    }
  });

  it.runIf(isPatched)(
    "the index is up to date in the same commit, and the next turn without a gateway is answered from the branch",
    async () => {
      const run = await branched();
      const state = indexState(live.openclaw.stateDir, run.sessionId)!;
      expect(state).toMatchObject({ needs_rebuild: 0, indexed_seq: state["last_seq"] });
      expect(await run.send("second question")).toMatchObject({ answered: true });
      expect(live.provider.requests.at(-1)?.raw).toContain("let us go back to this");
      expect(live.provider.requests.at(-1)?.raw).not.toContain("ok 1");
    },
  );

  it.runIf(isPatched)("with OPENCLAW_INTEGRITY=off it is what OpenClaw makes of it", async () => {
    const run = await branched({ OPENCLAW_INTEGRITY: "off" });
    expect(indexState(live.openclaw.stateDir, run.sessionId)).toMatchObject({ needs_rebuild: 1 });
    // The guard of the next turn finds it and has it rebuilt.
    expect(await run.send("second question")).toMatchObject({ answered: true });
    expect(indexState(live.openclaw.stateDir, run.sessionId)).toMatchObject({ needs_rebuild: 0 });
  });
});
