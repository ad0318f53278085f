/**
 * Provider APIs: prepares OpenClaw's messages for an adapter, checks and heals the adapter's request bodies. Pure.
 */
export { check, heal, prepare } from "./public.ts";
export type { WireViolation } from "./model.ts";
