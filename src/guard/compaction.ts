import type { GuardContext } from "./session.ts";

/** True where the statement serves a compaction, whose model calls are no word to a person. */
export function isCompaction({ point }: GuardContext): boolean {
  return point?.startsWith("compaction") ?? false;
}
