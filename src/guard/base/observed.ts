import {
  emit,
  emitToOpenClaw,
  exportToOpenTelemetry,
  forwardRecoveries,
  type Gate,
  type Kinds,
} from "../../observe/index.ts";

/** What a gate did about one fault, or its kind alone. */
export interface Healed {
  kind: string;
  action?: string;
}

/** Tells observers that a gate has looked at a history, and what it repaired in it. `since` is when it began. */
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
  emit("l0:validation:fail", place, { since, kinds: countsOf(healed.map(({ kind }) => kind)) });
  emit("l0:repair:start", place);
  emit("l0:repair:complete", place, { since, kinds: countsOf(healed.map(({ kind, action }) => action ?? kind)) });
}

function countsOf(kinds: readonly string[]): Kinds {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/**
 * Lets OpenClaw's own metrics and the process's OpenTelemetry have what the guard counts; cheap when they do already.
 */
export function exportCounts(): void {
  exportToOpenTelemetry();
  // The guard's file lies in OpenClaw's dist.
  forwardRecoveries(() => emitToOpenClaw(new URL("./", import.meta.url)));
}
