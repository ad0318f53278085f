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

/** Holds what the workers wrote down of one project against its ledger. `notes` are in the order of their time. */
export function checkWitness(project_id: string, rows: readonly EventRow[], notes: readonly Note[]): Finding[] {
  const findings: Finding[] = [];
  const find = (rule: Rule, message: string): void => void findings.push({ rule, project_id, message });
  const { events, starts, completions } = indexRows(rows);
  const acknowledged = new Map<string, number>();
  const tokens = new Set<number>();
  for (const note of notes) {
    if (note.project_id !== project_id) continue;
    if (note.kind === "leased") {
      if (tokens.has(note.token)) find("token-once", `token ${note.token} was given twice`);
      tokens.add(note.token);
      if (!events.has(`lease_acquired/${note.token}`))
        find("acknowledged-kept", `the lease with token ${note.token} is not in the ledger`);
    } else if (note.kind === "executed") {
      if (!starts.has(startKey(note, note.token)))
        find(
          "execution-recorded",
          `attempt ${note.attempt_id} of step ${note.step_id} under token ${note.token} is not in the ledger`,
        );
      const at = acknowledged.get(note.step_id);
      if (at !== undefined)
        find(
          "executed-after",
          `step ${note.step_id} was executed by attempt ${note.attempt_id} under token ${note.token}, ${(note.at - at) / 1000} ms after its completion was acknowledged`,
        );
    } else if (note.kind === "acknowledged") {
      acknowledged.set(note.step_id, acknowledged.get(note.step_id) ?? note.at);
      const found = completions.get(note.step_id);
      if (found?.attempt_id !== note.attempt_id || found.fencing_token !== note.token) {
        find(
          "acknowledged-kept",
          `the completion of step ${note.step_id} by attempt ${note.attempt_id} under token ${note.token} is not in the ledger; ${JSON.stringify(found)} is`,
        );
      } else if (found.result_checksum !== note.result)
        find(
          "result-same",
          `step ${note.step_id} was acknowledged with result ${note.result}, the ledger has ${found.result_checksum}`,
        );
    } else if (note.kind === "repeated") {
      const found = completions.get(note.step_id);
      if (found?.result_checksum !== note.result)
        find(
          "result-same",
          `a repetition of step ${note.step_id} gave ${note.result}, the ledger has ${found?.result_checksum ?? "no completion"}`,
        );
    } else if (note.kind === "effect") {
      const found = completions.get(note.step_id);
      if (found && found.result_checksum !== note.answer)
        find(
          "result-same",
          `the outside system answered ${note.answer} to key ${note.key}, the ledger has ${found.result_checksum}`,
        );
    } else if (note.kind === "checkpoint" && events.get(`checkpoint_updated/${note.seq}`) !== note.next_step) {
      find("acknowledged-kept", `the checkpoint "${note.next_step}" is not event ${note.seq}`);
    }
  }
  return findings;
}

interface Index {
  /** Leases by token; checkpoints by position, with their next step. */
  readonly events: ReadonlyMap<string, string>;
  readonly starts: ReadonlySet<string>;
  readonly completions: ReadonlyMap<string, Completed>;
}

function indexRows(rows: readonly EventRow[]): Index {
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
