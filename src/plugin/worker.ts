/** The plugin's thread: an {@link Examiner} that answers calls. */
import { parentPort, workerData } from "node:worker_threads";
import { Examiner } from "./examiner.ts";
import { answerCalls } from "./remote-side.ts";

const { directory } = workerData as { readonly directory: string };
parentPort!.on("message", answerCalls(new Examiner(directory), (answer) => parentPort!.postMessage(answer)));
