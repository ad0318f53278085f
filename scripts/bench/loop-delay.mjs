// Preloaded into a gateway: writes down for how long its event loop stood still at most, four times a second.
import { appendFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

const file = process.env.LOOP_DELAY_FILE;
if (isMainThread && file !== undefined) {
  const histogram = monitorEventLoopDelay({ resolution: 2 });
  histogram.enable();
  setInterval(() => {
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), maxMs: histogram.max / 1e6 })}\n`);
    histogram.reset();
  }, 250).unref();
}
