/** Entry of the process that applies the patch: a {@link KeepEngine} that answers calls. It ends with the gateway. */
import { writeUnattended } from "../../base/files/index.ts";
import { answerCalls } from "../remote/remote-side.ts";
import type { RemoteCall } from "../remote/remote.ts";
import { prove } from "../../prove/index.ts";
import { KeepEngine } from "./engine.ts";

/** Time in which the proof ends what it has started, when the gateway ends. */
const CLEANUP_MS = 5000;

writeUnattended();
const ended = new AbortController();
const engine = new KeepEngine(async (root) => {
  const report = await prove(root, { node: process.execPath, signal: ended.signal });
  ended.signal.throwIfAborted();
  const failed = report.sessions.filter(({ passed }) => !passed).map(({ id }) => id);
  return { ...report, sentence: `${report.sentence}${failed.length === 0 ? "" : ` (${failed.join(", ")})`}.` };
});
const take = answerCalls(engine, (answer) => void process.send?.(answer));
process.on("message", (call) => take(call as RemoteCall));
// The proof removes what it has started; the gateway that would use its result is gone.
process.once("disconnect", () => {
  ended.abort();
  setTimeout(() => process.exit(), CLEANUP_MS).unref();
});
