/**
 * What must hold of every ledger and of every worker's notes, whatever was killed in between; each has a test that sees
 * it broken.
 */
export const RULES = {
  position: "positions begin at 1 and have no gap",
  checksum: "each checksum is that of the canonical payload",
  columns: "each column says what the payload says",
  chain: "each event names the checksum of the one before",
  "token-grows": "each lease has the fencing token behind the last one's",
  "token-current": "steps and releases carry the token and owner of the lease that is held",
  "one-open-attempt": "no two attempts of a step are open under one token",
  "attempt-grows": "attempts of a step are numbered without a gap",
  "end-has-start": "what is completed or failed was started under the same token and is open",
  "completed-once": "no step is started or completed after it was completed",
  "acknowledged-kept": "everything that was acknowledged to a worker is in the ledger",
  "token-once": "no fencing token was given to two workers",
  "execution-recorded": "nothing was executed without its start in the ledger",
  "executed-after": "no step was executed after its completion was acknowledged",
  "result-same": "a repetition gives the committed result, and the outside system has that very effect",
} as const;

export type Rule = keyof typeof RULES;

/** A rule that was broken, and where. */
export interface Finding {
  readonly rule: Rule;
  readonly project_id: string;
  readonly message: string;
}
