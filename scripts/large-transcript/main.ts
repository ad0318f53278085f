/**
 * `node scripts/large-transcript/main.ts [--mb 1024] [--release 2026.2.3] [--variant stock|patched] [--whole] [--messages 2]
 * [--heap 1024]`: what OpenClaw, as published and patched, makes of a transcript of that size, most of it before a
 * compaction (with `--whole`, none of it); with `--heap`, with that many MB for objects. Needs twice the size on disk
 * and some GB of memory; not for CI.
 */
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import { RELEASES } from "../../src/patching/base/releases.ts";
import { workerEnvironment } from "../../harness/openclaw/environment.ts";
import { startProvider } from "../../harness/providers/index.ts";
import { LAST_WORDS, type LargeTranscript } from "./rows.ts";
import type { Job, Outcome } from "./worker.ts";

const { values } = parseArgs({
  options: {
    mb: { type: "string", default: "1024" },
    "result-kb": { type: "string", default: "100" },
    release: { type: "string" },
    variant: { type: "string" },
    whole: { type: "boolean", default: false },
    messages: { type: "string", default: "2" },
    heap: { type: "string" },
  },
});
const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));
const TURN_TIMEOUT_MS = 300_000;

/** One job in a process of its own; its lines about the guard and about errors are shown. */
async function inProcess(job: Job, home: string, providerUrl: string): Promise<Outcome> {
  const child = fork(WORKER, [], {
    cwd: home,
    env: workerEnvironment(home, providerUrl),
    execArgv: ["--no-warnings", ...(values.heap === undefined ? [] : [`--max-old-space-size=${values.heap}`])],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    serialization: "advanced",
  });
  const last: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream! }).on("line", (line) => {
      last.push(line);
      if (last.length > 6) last.shift();
      if (/integrity|error|too long|heap/i.test(line)) console.log(`    | ${line.slice(0, 300)}`);
    });
  }
  return new Promise((resolve) => {
    let outcome: Outcome | undefined;
    child.on("message", (message) => void (outcome = message as Outcome));
    // Only then nothing is written any more, and its folder can be removed.
    child.on("close", (code, signal) =>
      resolve(
        outcome ?? {
          ms: 0,
          peakMb: 0,
          texts: [],
          error: `the process ended (${signal ?? code}): ${last.join(" / ").slice(0, 500)}`,
        },
      ),
    );
    child.send(job);
  });
}

for (const { release } of RELEASES) {
  if (values.release !== undefined && values.release !== release) continue;
  const installed = await ensurePatched(release);
  for (const variant of ["stock", "patched"] as const) {
    if (values.variant !== undefined && values.variant !== variant) continue;
    const home = mkdtempSync(join(tmpdir(), `openclaw-${release}-large-`));
    for (const path of ["state/agents/main/agent", "tmp", "workspace"])
      mkdirSync(join(home, path), { recursive: true });
    const provider = await startProvider();
    try {
      const large: LargeTranscript = {
        sessionId: randomUUID(),
        bytes: Number(values.mb) * 2 ** 20,
        resultBytes: Number(values["result-kb"]) * 1024,
        compacted: !values.whole,
      };
      const setup = { root: join(installed[variant], "..", ".."), home, providerUrl: provider.url };
      const key = `agent:main:telegram:dm:${large.sessionId.slice(0, 8)}`;
      console.log(
        `OpenClaw ${release}, ${variant}, ${values.mb} MB, ${values.whole ? "all of it before the model" : "compacted"}`,
      );
      const stored = await inProcess(
        { kind: "store", setup, large, key, message: "", timeoutMs: 0 },
        home,
        provider.url,
      );
      console.log(`  stored: ${stored.error ?? `${stored.ms} ms, ${stored.peakMb} MB`}`);
      for (let at = 0; at < Number(values.messages); at++) {
        const before = provider.requests.length;
        const outcome = await inProcess(
          { kind: "turn", setup, large, key, message: `message ${at + 1}`, timeoutMs: TURN_TIMEOUT_MS },
          home,
          provider.url,
        );
        const sent = provider.requests.slice(before);
        console.log(
          `  message ${at + 1}: ${outcome.error === undefined ? "" : `error: ${outcome.error}; `}says ${JSON.stringify(outcome.texts.join(" / ").slice(0, 300))}; ${outcome.ms} ms, peak ${outcome.peakMb} MB; requests: ${sent.map(({ raw }) => `${raw.length} bytes${raw.includes(LAST_WORDS) ? " with the end of the history" : ""}`).join(", ") || "none"}`,
        );
      }
      for (const name of readdirSync(home, { recursive: true, encoding: "utf8" })) {
        const found = statSync(join(home, name));
        if (found.isFile() && (found.size > 2 ** 20 || name.includes(large.sessionId)))
          console.log(`    ${name.replace(large.sessionId, "<session>")}: ${(found.size / 2 ** 20).toFixed(1)} MB`);
      }
    } finally {
      await provider.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}
