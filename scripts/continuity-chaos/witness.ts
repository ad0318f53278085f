import type { EventRow } from "../../src/continuity/index.ts";
import type { Finding, Rule } from "./finding.ts";
import type { Note } from "./notes.ts";

interface Started {
  readonly step_id: string;
  readonly attempt_id: number;
  readonly fencing_token: number;
}

interface Completed extends Started {
  readonly result_checksum: string;
}

/**
 * Returns where the ledger of a project does not bear out what its workers wrote down. `notes` are in the order of
 * their time, and may be of other projects too.
 */
export function checkWitness(project_id: string, rows: readonly EventRow[], notes: readonly Note[]): Finding[] {
  const ledger = indexRows(rows);
  const before: Before = { tokens: new Set(), acknowledged: new Map() };
  return notes
    .filter((note) => note.project_id === project_id)
    .flatMap((note) => [...breaches(note, ledger, before)].map(([rule, message]) => ({ rule, project_id, message })));
}

/** What earlier notes have said. */
interface Before {
  readonly tokens: Set<number>;
  /** When each step's completion was first acknowledged. */
  readonly acknowledged: Map<string, number>;
}

/** The rules that a note shows to be broken, and how; takes the note in. */
function* breaches(note: Note, ledger: Ledger, before: Before): Generator<[Rule, string]> {
  switch (note.kind) {
    case "leased": {
      const { token } = note;
      if (before.tokens.has(token)) yield ["token-once", `token ${token} was given twice`];
      before.tokens.add(token);
      if (!ledger.events.has(`lease_acquired/${token}`))
        yield ["acknowledged-kept", `the lease with token ${token} is not in the ledger`];
      return;
    }
    case "executed": {
      const { step_id, attempt_id, token } = note;
      const what = `attempt ${attempt_id} of step ${step_id} under token ${token}`;
      if (!ledger.starts.has(startKey(note, token))) yield ["execution-recorded", `${what} is not in the ledger`];
      const at = before.acknowledged.get(step_id);
      if (at !== undefined)
        yield [
          "executed-after",
          `${what} was executed ${(note.at - at) / 1000} ms after the step's completion was acknowledged`,
        ];
      return;
    }
    case "acknowledged": {
      const { step_id, attempt_id, token, result } = note;
      before.acknowledged.set(step_id, before.acknowledged.get(step_id) ?? note.at);
      const found = ledger.completions.get(step_id);
      if (found?.attempt_id !== attempt_id || found.fencing_token !== token)
        yield [
          "acknowledged-kept",
          `the completion of step ${step_id} by attempt ${attempt_id} under token ${token} is not in the ledger; ` +
            `${JSON.stringify(found)} is`,
        ];
      else if (found.result_checksum !== result)
        yield ["result-same", `step ${step_id} was acknowledged with result ${result}, ${inLedger(found)}`];
      return;
    }
    case "repeated": {
      const found = ledger.completions.get(note.step_id);
      if (found?.result_checksum !== note.result)
        yield ["result-same", `a repetition of step ${note.step_id} gave ${note.result}, ${inLedger(found)}`];
      return;
    }
    case "effect": {
      const found = ledger.completions.get(note.step_id);
      if (found && found.result_checksum !== note.answer)
        yield ["result-same", `the outside system answered ${note.answer} to key ${note.key}, ${inLedger(found)}`];
      return;
    }
    case "checkpoint":
      if (ledger.events.get(`checkpoint_updated/${note.seq}`) !== note.next_step)
        yield ["acknowledged-kept", `the checkpoint "${note.next_step}" is not event ${note.seq}`];
      return;
    case "refused":
  }
}

function inLedger(found: Completed | undefined): string {
  return `the ledger has ${found?.result_checksum ?? "no completion"}`;
}

/** What a ledger says of leases, checkpoints and steps. */
interface Ledger {
  /** Leases by token; checkpoints by position, with their next step. */
  readonly events: ReadonlyMap<string, string>;
  readonly starts: ReadonlySet<string>;
  readonly completions: ReadonlyMap<string, Completed>;
}

function indexRows(rows: readonly EventRow[]): Ledger {
  const [events, starts, completions] = [new Map<string, string>(), new Set<string>(), new Map<string, Completed>()];
  for (const { event_type, event_seq, payload } of rows) {
    const { data } = JSON.parse(payload) as { data: Completed & { next_step: string } };
    if (event_type === "lease_acquired") events.set(`${event_type}/${data.fencing_token}`, "");
    if (event_type === "checkpoint_updated") events.set(`${event_type}/${event_seq}`, data.next_step);
    if (event_type === "step_started") starts.add(startKey(data, data.fencing_token));
    if (event_type === "step_completed") completions.set(data.step_id, data);
  }
  return { events, starts, completions };
}

function startKey(
  { step_id, attempt_id }: { readonly step_id: string; readonly attempt_id: number },
  token: number,
): string {
  return `${step_id}/${attempt_id}/${token}`;
}
