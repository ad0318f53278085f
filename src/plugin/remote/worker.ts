/** The plugin's thread: an {@link Examiner} that answers calls. */
import { parentPort, workerData } from "node:worker_threads";
import { writeUnattended } from "../../base/files/index.ts";
import { Examiner } from "./examiner.ts";
import { answerCalls } from "./remote-side.ts";

const { directory } = workerData as { readonly directory: string };
writeUnattended();
parentPort!.on(
  "message",
  answerCalls(new Examiner(directory), (answer) => parentPort!.postMessage(answer)),
);
