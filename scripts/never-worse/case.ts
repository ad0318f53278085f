import type { PlayedCase } from "../../harness/played/case.ts";
import { SHORT_NAMES } from "../start/apis.ts";

export const GROUPS = ["corpus", "faults", "reports", "random"] as const;
export type Group = (typeof GROUPS)[number];

/** A case of the gate. */
export interface GateCase extends PlayedCase {
  group: Group;
}

/** What a case is called, and what `--only` is looked for in: `filter-old-result on chat`. */
export function caseName({ id, session }: Pick<GateCase, "id" | "session">): string {
  return `${id} on ${SHORT_NAMES[session.api]}`;
}
