import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startOpenClaw, toTranscript, type TurnResult } from "../../harness/openclaw/index.ts";
import { HEALTHY } from "../../harness/openclaw/samples.ts";
import { startProvider } from "../../harness/providers/index.ts";
import { withoutOuterNpm } from "../../harness/npm.ts";
import type { Scenario, Subject } from "./proof-plan.ts";

const WORKER = fileURLToPath(new URL("../../harness/openclaw/branch-worker.ts", import.meta.url));
const ENTRIES_BACK = "3";
const TURN_TIMEOUT_MS = 90_000;

/** A session goes on from an earlier entry; OpenClaw is killed the moment that is stored, and two messages follow. */
export async function killedBranch(
  { api }: Extract<Scenario, { kind: "killed-branch" }>,
  { release, root }: Subject,
): Promise<string[]> {
  const provider = await startProvider();
  try {
    const driver = await startOpenClaw({ release, root, providerUrl: provider.url, turnTimeoutMs: TURN_TIMEOUT_MS });
    try {
      const run = await driver.run({ transcript: toTranscript(HEALTHY), api, messages: ["first message"] });
      // What goes on in this process would make up for the kill of the other one.
      driver.kill();
      const child = spawn(
        process.execPath,
        ["--no-warnings", WORKER, join(root, "node_modules", "openclaw"), run.sessionKey, run.sessionId, ENTRIES_BACK],
        {
          env: { ...withoutOuterNpm(process.env), HOME: dirname(driver.stateDir), OPENCLAW_STATE_DIR: driver.stateDir },
        },
      );
      const [, signal] = (await once(child, "exit")) as [number | null, string | null];
      return [
        `first message: ${describeOutcome(run.turns[0])}; the branch is stored, and the process ended by ${signal ?? "itself"}`,
        `second message: ${describeOutcome(await run.send("second message"))}`,
        `third message: ${describeOutcome(await run.send("third message"))}`,
      ];
    } finally {
      await driver.close();
    }
  } finally {
    await provider.close();
  }
}

function describeOutcome(turn: TurnResult | undefined): string {
  if (turn === undefined) return "not sent";
  return turn.answered ? "answered" : `no answer: ${turn.error ?? turn.text}`;
}
