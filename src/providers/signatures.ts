import { createHash } from "node:crypto";

const MARK = "openclaw-integrity-test:";

/** A thinking signature that its text can be checked against, in the place of the provider's cryptographic one. */
export function signThinking(thinking: string): string {
  return Buffer.from(MARK + createHash("sha256").update(thinking).digest("hex")).toString("base64");
}

/** Whether a signature is one of ours and its thinking text is no longer the text that was signed. */
export function isAltered(thinking: string, signature: string): boolean {
  return Buffer.from(signature, "base64").toString("latin1").startsWith(MARK) && signature !== signThinking(thinking);
}
