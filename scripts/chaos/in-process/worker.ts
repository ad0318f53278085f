/** The process that is killed. */
import { openSync, writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { judgeTurn } from "../../../harness/openclaw/answer.ts";
import type { TurnResult } from "../../../harness/openclaw/index.ts";
import { openDrive } from "./drive.ts";
import type { AgentEvent, Drive } from "./types.ts";
import type { Reply, Request } from "./protocol.ts";

const NAMES: Record<string, string> = { start: "begun", result: "returned" };
let drive: Drive | undefined;
let kept = false;

/** Written at once and by this thread: what stands in the file has happened before the kill. */
function eventsTo(path: string): (event: AgentEvent) => void {
  const file = openSync(path, "a");
  return ({ stream, data }) => {
    const what = NAMES[String(data?.phase)];
    if (stream === "tool" && what !== undefined) writeSync(file, `${what} ${Date.now()} ${String(data?.toolCallId)}\n`);
  };
}

async function turn(
  used: Drive,
  { session, message, timeoutMs }: Extract<Request, { kind: "turn" }>,
): Promise<TurnResult> {
  const started = performance.now();
  const before = await used.read(session);
  const raw = await used.send(session, message, timeoutMs, AbortSignal.timeout(timeoutMs));
  const result = { ...judgeTurn(raw, before, await used.read(session)), ms: Math.round(performance.now() - started) };
  // Node keeps what it has compiled when a process ends by itself, and none of these does.
  if (!kept) flushCompileCache();
  kept = true;
  return result;
}

async function handle(request: Request): Promise<unknown> {
  if (request.kind === "open") {
    drive = await openDrive(request.setup, eventsTo(request.events));
    return undefined;
  }
  if (drive === undefined) throw new Error("expected to be opened first");
  if (request.kind === "read") return await drive.read(request.session);
  if (request.kind === "turn") return await turn(drive, request);
  for (const session of request.sessions) await drive.store(session);
  return undefined;
}

function say(reply: Reply): void {
  process.send?.(reply);
}

process.on("message", (request: Request) => {
  handle(request).then(
    (value) => say({ id: request.id, value }),
    (error: unknown) =>
      say({ id: request.id, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));
