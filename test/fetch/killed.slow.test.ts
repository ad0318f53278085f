/**
 * Agents over the official SDKs, killed while their tools run: the next request is accepted, and what it says of each
 * call agrees with what the tool has done. `KILLS=200 npx vitest run test/fetch/killed.slow.test.ts` for many.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { INTERRUPTED_CALL, NOT_STARTED_CALL } from "../../src/transcript/json/text.ts";

const AGENT = fileURLToPath(new URL("killed-agent.ts", import.meta.url));
const KILLS = Number(process.env.KILLS ?? 24);

let provider: StrictProvider;
beforeAll(async () => void (provider = await startProvider()));
afterAll(() => provider.close());

/** Runs the agent to its end, or kills it a while after it has asked the model. */
async function run(args: readonly string[], env: object, killAfterMs?: number): Promise<void> {
  const child = spawn(process.execPath, ["--no-warnings", AGENT, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...env },
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (errors += text));
  const ended = once(child, "exit");
  if (killAfterMs === undefined) {
    expect(await ended, errors).toEqual([0, null]);
    return;
  }
  while (provider.requests.length === 0 && child.exitCode === null) await sleep(5);
  await sleep(killAfterMs);
  child.kill("SIGKILL");
  await ended;
}

describe.each(["anthropic", "openai"])("an agent over the SDK of %s that saves", (sdk) => {
  it.each(["each", "end"])("at %s", async (saves) => {
    const told: Record<string, number> = { returned: 0, "may have run": 0, "not started": 0, "never asked": 0 };
    for (let kill = 0; kill < KILLS / 4; kill++) {
      const folder = mkdtempSync(join(tmpdir(), "killed-"));
      provider.reset();
      provider.script({ kind: "tool", calls: [5, 6].map((euros) => ({ name: "pay", arguments: { euros } })) });
      const args = [sdk, provider.url, folder, saves];
      // A kill before the tool acts, between that and its return, and behind it.
      await run([...args, "pay 5 and 6 euros"], { BEFORE: 40, BEHIND: 40 }, (kill * 23) % 160);
      const ledger = join(folder, "ledger");
      const done = existsSync(ledger) ? readFileSync(ledger, "utf8") : "";
      provider.reset();
      provider.script({ kind: "text", text: "I see." });
      await run([...args, "did you pay?"], {});
      expect(provider.requests.map(({ status, error }) => [status, error])).toEqual([[200, undefined]]);
      const sent = JSON.stringify(provider.requests[0]!.body);
      for (const euros of [5, 6]) {
        const isReturned = sent.includes(`"paid ${euros}`) || sent.includes(`> paid ${euros}`);
        const wasDone = done.includes(`paid ${euros}`);
        const outcome = isReturned
          ? "returned"
          : sent.includes(INTERRUPTED_CALL)
            ? "may have run"
            : sent.includes(NOT_STARTED_CALL)
              ? "not started"
              : "never asked";
        told[outcome]!++;
        // Nothing is said to be done that was not, and of what was done the model is told at least that it may be.
        if (isReturned) expect(wasDone, `${kill}: ${sent}`).toBe(true);
        if (wasDone) expect(["returned", "may have run"], `${kill}: ${sent}`).toContain(outcome);
      }
      // The tool is not run again by anybody but the model.
      expect(existsSync(ledger) ? readFileSync(ledger, "utf8") : "").toBe(done);
      rmSync(folder, { recursive: true });
    }
    console.log(`${sdk}, saves at ${saves}: ${JSON.stringify(told)}`);
  });
});
