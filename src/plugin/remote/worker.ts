/** Entry of the plugin's worker thread: a {@link ScanWorker} that answers calls. */
import { parentPort, workerData } from "node:worker_threads";
import { writeUnattended } from "../../base/files/index.ts";
import { ScanWorker } from "./scan-worker.ts";
import { answerCalls } from "./remote-side.ts";

const { directory } = workerData as { readonly directory: string };
writeUnattended();
parentPort!.on(
  "message",
  answerCalls(new ScanWorker(directory), (answer) => parentPort!.postMessage(answer)),
);
