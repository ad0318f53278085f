/** The plugin's process: a {@link StoreWriter} that answers calls. It ends with the gateway. */
import { answerCalls } from "./remote-side.ts";
import type { RemoteCall } from "./remote.ts";
import { StoreWriter } from "./store-writer.ts";

const take = answerCalls(new StoreWriter(), (answer) => void process.send?.(answer));
process.on("message", (call) => take(call as RemoteCall));
process.once("disconnect", () => process.exit());
