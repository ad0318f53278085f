/**
 * What recorded work needs beside the plugin: a file of its own, that is loaded only where it is turned on. Most of a
 * megabyte: OpenClaw 2026.2.3 would translate it for seconds.
 */
export { storePlace } from "./store.ts";
export { toolsFor } from "./tools.ts";
export { ContinuityWork } from "./work.ts";
