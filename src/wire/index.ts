/**
 * The provider APIs: OpenClaw's messages made ready for an adapter, and the adapter's request bodies checked and
 * healed. Pure.
 */
export { check, heal, prepare } from "./public.ts";
export type { WireViolation } from "./model.ts";
