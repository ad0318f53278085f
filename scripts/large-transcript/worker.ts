import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { once } from "node:events";
import { importChunk } from "../../harness/openclaw/adapters/chunk.ts";
import { openCommand } from "../../harness/openclaw/adapters/command.ts";
import { embeddedRunnerPath, openEmbedded } from "../../harness/openclaw/adapters/embedded.ts";
import type { Session, WorkerSetup } from "../../harness/openclaw/types.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { HEALTHY } from "../../harness/openclaw/samples.ts";
import { largeRows, type LargeTranscript } from "./rows.ts";

/**
 * What a worker does: store the large session, or send it one message. They are two processes, so that each has its own
 * memory.
 */
export interface Job {
  kind: "store" | "turn";
  setup: WorkerSetup;
  large: LargeTranscript;
  key: string;
  message: string;
  timeoutMs: number;
}

/** What became of it. */
export interface Outcome {
  ms: number;
  /** The most memory that the process held, in MB. */
  peakMb: number;
  texts: string[];
  error?: string;
}

interface Accessor {
  replaceTranscriptEvents(scope: object, events: unknown[]): Promise<void>;
  waitForSessionTranscriptProjection(scope: object): Promise<void>;
}

async function run({ kind, setup, large, key, message, timeoutMs }: Job): Promise<Outcome> {
  const dist = join(setup.root, "node_modules", "openclaw", "dist");
  const runner = embeddedRunnerPath(dist);
  const adapter = runner ? await openEmbedded(dist, runner, setup) : await openCommand(dist, setup);
  const session: Session = { id: large.sessionId, key, transcript: toTranscript(HEALTHY), api: "anthropic-messages" };
  const started = performance.now();
  const outcome = { texts: [] as string[], error: undefined as string | undefined };
  if (kind === "store") {
    await adapter.store(session);
    if (runner) await writeLarge(large, join(setup.home, "state", "agents", "main", "sessions", `${session.id}.jsonl`));
    else await writeRows(dist, large, session);
  } else {
    const turn = await adapter.send(session, message, timeoutMs, AbortSignal.timeout(timeoutMs));
    outcome.texts = turn.payloads.map((payload) => `${payload.isError ? "error: " : ""}${payload.text ?? ""}`);
    outcome.error = turn.error;
  }
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  return {
    ms: Math.round(performance.now() - started),
    peakMb,
    texts: outcome.texts,
    ...(outcome.error === undefined ? {} : { error: outcome.error }),
  };
}

async function writeLarge(large: LargeTranscript, file: string): Promise<void> {
  await writeFile(file, "");
  const stream = createWriteStream(file);
  for (const row of largeRows(large)) if (!stream.write(`${JSON.stringify(row)}\n`)) await once(stream, "drain");
  stream.end();
  await once(stream, "finish");
}

async function writeRows(dist: string, large: LargeTranscript, session: Session): Promise<void> {
  const accessor = await importChunk<Accessor>(dist, /^session-accessor-.*\.m?js$/, [
    "replaceTranscriptEvents",
    "waitForSessionTranscriptProjection",
  ]);
  const scope = { agentId: "main", sessionKey: session.key, sessionId: session.id };
  await accessor.replaceTranscriptEvents(scope, [...largeRows(large)]);
  await accessor.waitForSessionTranscriptProjection(scope);
}

process.once("message", (job: Job) => {
  run(job).then(
    (outcome) => process.send?.(outcome, () => process.exit(0)),
    (error: unknown) =>
      process.send?.(
        {
          ms: 0,
          peakMb: Math.round(process.resourceUsage().maxRSS / 1024),
          texts: [],
          error: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
        },
        () => process.exit(0),
      ),
  );
});
