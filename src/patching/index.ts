/** Patching OpenClaw: what the command line, the postinstall script and the tests use. */
export { apply, revert, status, verify } from "./apply.ts";
export type { Report, State } from "./apply.ts";
export { PatchError } from "./errors.ts";
export type { PatchErrorCode } from "./errors.ts";
export { findOpenclaw } from "./installation.ts";
export { plan } from "./plan.ts";
export type { FilePlan, PatchOptions, Plan } from "./plan.ts";
export { PATCH_POINTS, PATCH_SET } from "./points.ts";
export type { PatchPoint, PointId, Release } from "./points.ts";
export { isRelease, LATEST, RELEASES } from "./releases.ts";
