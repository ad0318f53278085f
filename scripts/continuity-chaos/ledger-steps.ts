import type { EventRow } from "../../src/continuity/index.ts";
import type { Finding, Rule } from "./finding.ts";

/** What an event of a lease or step says. */
interface Said {
  readonly owner_id: string;
  readonly fencing_token: number;
  readonly step_id: string;
  readonly attempt_id: number;
}

interface Step {
  attempts: number;
  /** The attempt that is open, and the token it was started under. */
  open: { readonly attempt_id: number; readonly token: number } | undefined;
  isCompleted: boolean;
}

/** Checks what the ledger of one workflow says of leases and steps: fencing, and each step completed at most once. */
export function checkSteps(project_id: string, rows: readonly EventRow[]): Finding[] {
  const findings: Finding[] = [];
  const steps = new Map<string, Step>();
  let last_token = 0;
  let holder: { readonly owner_id: string; readonly token: number } | null = null;
  for (const { event_seq, event_type, payload } of rows) {
    const find = (rule: Rule, message: string): void =>
      void findings.push({ rule, project_id, message: `event ${event_seq}, ${event_type}: ${message}` });
    const { data } = JSON.parse(payload) as { data: Said };
    const { owner_id, fencing_token: token, step_id, attempt_id } = data;
    if (event_type === "lease_acquired") {
      if (token !== last_token + 1) find("token-grows", `has token ${token}, the last one was ${last_token}`);
      last_token = token;
      holder = { owner_id, token };
      continue;
    }
    if (event_type !== "lease_released" && !event_type.startsWith("step_")) continue;
    if (holder?.token !== token || holder.owner_id !== owner_id) {
      find(
        "token-current",
        `is ${owner_id}'s under token ${token}; the lease is ${holder ? `${holder.owner_id}'s under token ${holder.token}` : "nobody's"}`,
      );
    }
    if (event_type === "lease_released") {
      holder = null;
      continue;
    }
    const step = steps.get(step_id) ?? { attempts: 0, open: undefined, isCompleted: false };
    steps.set(step_id, step);
    if (step.isCompleted) find("completed-once", `step ${step_id} was completed before`);
    if (event_type === "step_started") {
      if (step.open?.token === token)
        find("one-open-attempt", `attempt ${step.open.attempt_id} of step ${step_id} is open under token ${token}`);
      if (attempt_id !== step.attempts + 1)
        find("attempt-grows", `attempt ${attempt_id} of step ${step_id} follows ${step.attempts}`);
      step.attempts = attempt_id;
      step.open = { attempt_id, token };
      continue;
    }
    if (step.open?.attempt_id !== attempt_id || step.open.token !== token) {
      find(
        "end-has-start",
        `attempt ${attempt_id} of step ${step_id} under token ${token}; open is ${step.open ? `attempt ${step.open.attempt_id} under token ${step.open.token}` : "none"}`,
      );
    }
    step.open = undefined;
    step.isCompleted ||= event_type === "step_completed";
  }
  return findings;
}
