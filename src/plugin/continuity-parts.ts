/**
 * What recorded work needs beside the plugin: a file of its own, that is loaded only where it is turned on. Most of a
 * megabyte: OpenClaw 2026.2.3 would translate it for seconds.
 */
export { storePlace } from "./continuity-store.ts";
export { toolsFor } from "./continuity-tools.ts";
export { ContinuityWork } from "./continuity-work.ts";
