import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { createSessionIntegrity, JsonlSession, openJournal } from "../../src/integrity/index.ts";
import { historyLines } from "./lines.ts";

const KILLS = Number(process.env.KILLS ?? 8);

it(`${KILLS} times kill -9 in the middle: each call is in the history with what became of it, and nothing that was recorded is lost`, async () => {
  const folder = newFolder();
  const file = join(folder, "session.jsonl");
  JsonlSession.create(file, { format: "openclaw" });
  const outcomes = new Set<string>();
  for (let kill = 0; kill < KILLS; kill++) {
    await killedWorker(folder, 10 + ((kill * 37) % 90));
    const journal = openJournal(join(folder, "journal.sqlite"));
    const integrity = createSessionIntegrity({ journal });
    const session = new JsonlSession(file);
    // Also before anything is recovered: half a cycle is never stored.
    expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
    const { recovered } = await integrity.recover(session);
    for (const { outcome } of recovered) outcomes.add(outcome);
    expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
    expect(journal.cycles.open(session.id)).toEqual([]);
    journal.close();

    const history = historyLines(new JsonlSession(file).messages);
    const results = new Map(
      history.filter((line) => line.startsWith("result:")).map((line) => line.slice(7).split("=") as [string, string]),
    );
    const trace = (what: string): string[] =>
      readFileSync(join(folder, "trace"), "utf8")
        .split("\n")
        .filter((line) => line.startsWith(`${what} `))
        .map((line) => line.slice(what.length + 1));
    const started = new Set(trace("started"));
    for (const asked of trace("asked")) expect(history).toContain(`user:asked ${asked}`);
    for (const id of trace("recorded")) expect(results.get(id), "a recorded result").toBe(`did ${id}`);
    for (const id of started) expect(results.get(id), "a call that began").toMatch(new RegExp(`^(did ${id}|unknown)$`));
    for (const [id, said] of results) {
      if (said === "not started") expect(started.has(id), "told as not started").toBe(false);
    }
  }
  expect(outcomes.size).toBeGreaterThan(0);
});

/** A worker that is killed some time after it has begun. */
async function killedWorker(folder: string, afterMs: number): Promise<void> {
  const before = lifes(folder);
  const worker = spawn(process.execPath, [join(import.meta.dirname, "kill-worker.ts"), folder], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  worker.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => {
    worker.on("close", resolve);
  });
  while (lifes(folder) === before && worker.exitCode === null) await pause(5);
  await pause(afterMs);
  worker.kill("SIGKILL");
  const code = await ended;
  if (code !== null)
    throw new Error(`expected a worker that runs until it is killed, found that it ended with ${code}: ${said}`);
}

function lifes(folder: string): number {
  const trace = join(folder, "trace");
  return existsSync(trace)
    ? readFileSync(trace, "utf8")
        .split("\n")
        .filter((line) => line === "begun").length
    : 0;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, ms);
  });
}
