// Preloaded into OpenClaw: writes down how long each gate of the guard has taken.
import { appendFileSync } from "node:fs";
import { subscribe } from "node:diagnostics_channel";
import { isMainThread } from "node:worker_threads";

const file = process.env.GATE_TIMES_FILE;
if (isMainThread && file !== undefined)
  for (const name of ["l0:validation:pass", "l0:validation:fail"])
    subscribe(name, ({ gate, durationMs }) => appendFileSync(file, `${gate} ${durationMs}\n`));
