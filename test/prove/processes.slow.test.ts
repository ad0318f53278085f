import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { isAlive } from "../../src/base/processes.ts";
import { prove, type ProofReport } from "../../src/prove/index.ts";
import { HANGS, seenBy, stubOpenClaw, type Seen } from "./stub.ts";
import { patience } from "../../harness/patience.ts";

const PROVER = fileURLToPath(new URL("prover.ts", import.meta.url));
const WAIT = { timeout: patience(20_000), interval: 20 };

async function started(root: string): Promise<Seen> {
  return vi.waitFor(() => {
    const seen = seenBy(root);
    if (seen === undefined) throw new Error("OpenClaw has not been started");
    return seen;
  }, WAIT);
}

/** Resolves when nothing of a proof is left. */
async function allGone({ pids, home }: Seen): Promise<void> {
  await vi.waitFor(
    () => expect({ alive: pids.filter(isAlive), home: existsSync(home) }).toEqual({ alive: [], home: false }),
    WAIT,
  );
}

function startProver(root: string): ChildProcess {
  return fork(PROVER, [root], { execArgv: ["--no-warnings"], stdio: ["ignore", "ignore", "inherit", "ipc"] });
}

test.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)(
  "%s of the prover leaves no process and no folder",
  async (signal) => {
    const root = stubOpenClaw(HANGS);
    const prover = startProver(root);
    const seen = await started(root);
    prover.kill(signal);
    await once(prover, "exit");
    await allGone(seen);
  },
);

test("kill -9 of the process that keeps OpenClaw ends the proof, and leaves nothing", async () => {
  const root = stubOpenClaw(HANGS);
  const prover = startProver(root);
  const seen = await started(root);
  process.kill(seen.pids[0], "SIGKILL");
  const [report] = (await once(prover, "message")) as [ProofReport];
  expect(report).toMatchObject({ verdict: "environment", sessions: [] });
  await allGone(seen);
});

test("an OpenClaw that hangs is given up, and nothing is proved", async () => {
  const root = stubOpenClaw(HANGS);
  const report = await prove(root, { timeoutMs: 2_000 });
  expect(report).toMatchObject({ verdict: "environment", release: "2026.9.99" });
  expect(report.sentence).toContain("took too long");
  await allGone(seenBy(root)!);
});

test("a proof can be ended by its caller", async () => {
  const root = stubOpenClaw(HANGS);
  const abort = new AbortController();
  const running = prove(root, { signal: abort.signal });
  const seen = await started(root);
  abort.abort();
  expect(await running).toMatchObject({ verdict: "environment" });
  await allGone(seen);
});

test("an OpenClaw that ends at once, also with the guard off, is told with its last words, quoted", async () => {
  const root = stubOpenClaw(`console.error("expected a mitten; found none\\u001b[2K"); process.exit(3);`);
  const report = await prove(root);
  expect(report).toMatchObject({ verdict: "release", sessions: [] });
  expect(report.sentence).toContain(
    String.raw`also with the guard off: OpenClaw ended (3); it printed: "expected a mitten; found none\u001b[2K"`,
  );
});

test("a folder without OpenClaw, and a release that no Node here runs, are told without starting anything", async () => {
  expect(await prove(tmpdir())).toMatchObject({ verdict: "environment", release: "unknown" });
  const root = stubOpenClaw(HANGS, { engines: { node: ">=99.1.0" } });
  const report = await prove(root);
  expect(report).toMatchObject({ verdict: "environment" });
  expect(report.sentence).toContain("OpenClaw 2026.9.99 needs Node >=99.1.0; found v");
  expect(await prove(root, { node: "/no/such/node" })).toMatchObject({ verdict: "environment" });
  expect(seenBy(root)).toBeUndefined();
});

test("OpenClaw gets no key, no setting and no folder of the user's", async () => {
  const root = stubOpenClaw(HANGS);
  const env = {
    ...process.env,
    HOME: "/home/of-the-user",
    OPENCLAW_STATE_DIR: "/home/of-the-user/state",
    OPENCLAW_GATEWAY_TOKEN: "secret-token",
    OPENCLAW_INTEGRITY: "off",
    CLAWDBOT_CONFIG_PATH: "/home/of-the-user/config.json",
    ANTHROPIC_API_KEY: "secret-key",
    TELEGRAM_BOT_TOKEN: "secret-bot",
    HTTPS_PROXY: "http://secret-proxy",
    NODE_OPTIONS: "--no-deprecation",
  };
  await prove(root, { env, timeoutMs: 2_000 });
  const seen = seenBy(root)!;
  expect(JSON.stringify(seen.env)).not.toMatch(/secret|of-the-user|no-deprecation/);
  expect(seen.env).toMatchObject({ PATH: process.env["PATH"], HOME: seen.home });
  const own = Object.entries(seen.env).filter(
    ([name]) => /_DIR$|_PATH$|^TMP|^XDG|HOME/.test(name) && name !== "LD_LIBRARY_PATH",
  );
  expect(own.length).toBeGreaterThan(8);
  for (const [, path] of own) expect(path.startsWith(seen.home)).toBe(true);
  // Its own folder: other proofs may run beside this one.
  const [folder] = /^.*?\/openclaw-integrity-proof-[^/]+/.exec(seen.home)!;
  expect(existsSync(folder)).toBe(false);
});
