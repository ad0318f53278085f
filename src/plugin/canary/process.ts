/** Entry of the process that tries the gateway's OpenClaw: a {@link Trial} that answers calls. It ends with the gateway. */
import { constants, setPriority } from "node:os";
import { answerCalls } from "../remote/remote-side.ts";
import type { RemoteCall } from "../remote/remote.ts";
import { Trial } from "./trial.ts";

/** Time in which the trial ends what it has started. */
const CLEANUP_MS = 5000;

// What it starts inherits it: the gateway's own answers go first.
setPriority(constants.priority.PRIORITY_LOW);
const ended = new AbortController();
const take = answerCalls(new Trial(ended.signal), (answer) => void process.send?.(answer));
process.on("message", (call) => take(call as RemoteCall));
process.once("disconnect", () => {
  ended.abort();
  setTimeout(() => process.exit(), CLEANUP_MS).unref();
});
