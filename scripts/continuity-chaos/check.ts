import { Continuity, type ContinuityStore, type EventRow } from "../../src/continuity/index.ts";
import type { Finding } from "./finding.ts";
import { checkChain } from "./ledger-chain.ts";
import { checkSteps } from "./ledger-steps.ts";
import type { Note } from "./notes.ts";
import { checkWitness } from "./witness.ts";

/** What the ledgers say when all is over. */
export interface Checked {
  readonly events: number;
  readonly completions: number;
  /** Attempts of steps beyond the first: of those that were cut off. */
  readonly repeatedAttempts: number;
  readonly leases: number;
  /** Leases that were taken over from one that had not been given back. */
  readonly takeovers: number;
  readonly findings: readonly Finding[];
  /** What the kernel's own `verify` found. */
  readonly damages: readonly string[];
}

const PAGE = 1000;

/** Reads every ledger of the store and holds it against the rules, the workers' notes and the kernel's own `verify`. */
export async function checkStore(store: ContinuityStore, notes: readonly Note[]): Promise<Checked> {
  const continuity = new Continuity({ store });
  const findings: Finding[] = [];
  const damages: string[] = [];
  const counts = new Map<string, number>();
  let takeovers = 0;
  for (const { workflow_id, project_id } of await store.workflows()) {
    const rows = await readEvents(store, workflow_id);
    for (const { event_type } of rows) counts.set(event_type, (counts.get(event_type) ?? 0) + 1);
    takeovers += takeoversIn(rows);
    findings.push(
      ...checkChain(project_id, rows),
      ...checkSteps(project_id, rows),
      ...checkWitness(project_id, rows, notes),
    );
    const verified = await (await continuity.project(project_id)).verify();
    damages.push(...verified.damages.map(({ place, message }) => `${project_id}, ${place}: ${message}`));
    if (verified.events !== rows.length)
      damages.push(`${project_id}: verify saw ${verified.events} events of ${rows.length}`);
  }
  const count = (type: string): number => counts.get(type) ?? 0;
  return {
    events: [...counts.values()].reduce((sum, one) => sum + one, 0),
    completions: count("step_completed"),
    repeatedAttempts: count("step_started") - count("step_completed"),
    leases: count("lease_acquired"),
    takeovers,
    findings,
    damages,
  };
}

async function readEvents(store: ContinuityStore, workflow_id: string): Promise<EventRow[]> {
  const rows: EventRow[] = [];
  for (;;) {
    const page = await store.eventsAfter(workflow_id, rows.at(-1)?.event_seq ?? 0, PAGE);
    rows.push(...page);
    if (page.length < PAGE) return rows;
  }
}

function takeoversIn(rows: readonly EventRow[]): number {
  const ofLeases = rows.map(({ event_type }) => event_type).filter((type) => type.startsWith("lease_"));
  return ofLeases.filter((type, at) => type === "lease_acquired" && ofLeases[at - 1] === "lease_acquired").length;
}
