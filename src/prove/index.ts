/** Proves on the user's own OpenClaw that the patch works. */
export { prove } from "./prove.ts";
export type { ProveOptions } from "./run.ts";
export { rehearse } from "./rehearse.ts";
export type { Rehearsed, SessionCopy, StoreFacts } from "./rehearse.ts";
export { proofLines } from "./report.ts";
export type { ProofReport, ProofVerdict, SessionProof } from "./report.ts";
