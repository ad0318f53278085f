/**
 * Provider APIs: prepares OpenClaw's messages for an adapter, checks and heals the adapter's request bodies. Pure.
 */
export { check, heal, prepare, WIRE_APIS } from "./public.ts";
export type { Healing, HealOptions, WireApi } from "./public.ts";
export type { BodyOptions } from "./heal.ts";
export type { PrepareOptions } from "./prepare.ts";
export type { WireViolation } from "./model.ts";
