/**
 * The parts of recorded work that are built into a file of their own, which is loaded only where recorded work is
 * turned on: the file has most of a megabyte, and OpenClaw 2026.2.3 would translate it for seconds.
 */
export { callsFrom } from "../../continuity-tools/tool-journal.ts";
export { storePlace } from "./store.ts";
export { toolsFor } from "./tools.ts";
export { ContinuityWork } from "./work.ts";
