/** Entry of the plugin's writer process: a {@link StoreWriter} that answers calls. It ends with the gateway. */
import { writeUnattended } from "../../base/files/index.ts";
import { answerCalls } from "./remote-side.ts";
import type { RemoteCall } from "./remote.ts";
import { StoreWriter } from "./store-writer.ts";

writeUnattended();
const take = answerCalls(new StoreWriter(), (answer) => void process.send?.(answer));
process.on("message", (call) => take(call as RemoteCall));
process.once("disconnect", () => process.exit());
