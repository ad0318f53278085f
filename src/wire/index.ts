/**
 * The provider APIs: OpenClaw's messages made ready for an adapter, and the adapter's request bodies checked and healed. Pure.
 */
export { check, heal } from "./heal.ts";
export { prepare } from "./prepare.ts";
export type { WireViolation } from "./model.ts";
