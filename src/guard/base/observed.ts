import { emit, emitToOpenClaw, exportToOpenTelemetry, forwardRecoveries, type Gate } from "../../observe/index.ts";
import { tallyKinds } from "../../observe/events.ts";

/** One violation that a gate removed: its kind, and the action where the gate reports one. */
export interface Healed {
  kind: string;
  action?: string;
}

/** Emits that a gate has checked a history, and what the gate repaired. `since` is when the check began. */
export function emitChecked(
  gate: Gate,
  sessionId: string | undefined,
  messages: number,
  healed: readonly Healed[],
  since: number,
): void {
  const place = (): { gate: Gate; sessionId: string | undefined; messages: number } => ({ gate, sessionId, messages });
  if (healed.length === 0) {
    emit("l0:validation:pass", place, { since });
    return;
  }
  emit("l0:validation:fail", place, { since, kinds: tallyKinds(healed.map(({ kind }) => kind)) });
  emit("l0:repair:start", place);
  emit("l0:repair:complete", place, { since, kinds: tallyKinds(healed.map(({ kind, action }) => action ?? kind)) });
}

/**
 * Starts exporting the guard's counters to OpenClaw's metrics and the process's OpenTelemetry; does nothing when the
 * export has started already.
 */
export function exportCounts(): void {
  exportToOpenTelemetry();
  // The guard's file is in OpenClaw's dist.
  forwardRecoveries(() => emitToOpenClaw(new URL("./", import.meta.url)));
}
