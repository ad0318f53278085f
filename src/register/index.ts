/**
 * Running OpenClaw patched from memory: what the command line needs of it (the plugin reads marker.ts alone).
 * `isHooked`: whether this service loads the hook. `startsRegistered`: whether its service, or this shell, starts
 * OpenClaw patched. `isRegistered`: the same, or it runs patched now.
 */
export { isEnabled } from "../guard/base/switch.ts";
export { cacheFolder } from "./cache.ts";
export { RegisterError } from "./errors.ts";
export { hookUrl, isInCache, lastingHookUrl } from "./hook-file.ts";
export { withHook } from "./node-options.ts";
export { findService, type ServiceFile, type ServiceOptions } from "./service/places.ts";
export { installService, isHooked, removeService, type ServiceChange } from "./service/service.ts";
export { isRegistered, findSetup, startsRegistered, type Setup } from "./setup.ts";
export { verifyServed } from "./verify-served.ts";
