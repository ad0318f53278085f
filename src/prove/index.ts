/** Proves on the user's own OpenClaw that the patch works. */
export { prove } from "./prove.ts";
export type { ProveOptions } from "./prove.ts";
export { proofLines } from "./report.ts";
export type { ProofReport, ProofVerdict, SessionProof } from "./report.ts";
