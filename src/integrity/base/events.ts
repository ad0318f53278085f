import {
  emit,
  type EventName,
  type Kinds,
  type Measured,
  type ObservedEvent,
  type Payloads,
} from "../../observe/index.ts";

/**
 * What observers receive, as in docs/operations.md. Ids, counts and kinds, never words of a conversation.
 */
export type IntegrityEvent = ObservedEvent;

/** Emits an event; the payload is built only when somebody listens. */
export type Emit = <Name extends EventName>(
  event: Name,
  payload: () => Payloads[Name],
  measured?: Measured<Name>,
) => void;

/**
 * Returns an {@link Emit} that passes events to the counters and channels of the process, and to this
 * SessionIntegrity's own observer and log. Errors of the observer are ignored, because they must not stop the agent.
 */
export function emitter({
  onEvent,
  log,
}: {
  onEvent?: (event: IntegrityEvent) => void;
  log?: (line: string) => void;
}): Emit {
  return (event, payload, measured) => {
    emit(event, payload, measured);
    if (!onEvent && !log) return;
    try {
      const { since, kind, kinds } = (measured ?? {}) as { since?: number; kind?: string; kinds?: Kinds };
      const durationMs = since === undefined ? undefined : performance.now() - since;
      const observed = {
        event,
        at: Date.now(),
        ...(durationMs !== undefined && { durationMs }),
        ...(kind !== undefined && { kind }),
        ...(kinds && { kinds }),
        ...payload(),
      };
      log?.(`[openclaw-integrity] ${JSON.stringify(observed)}`);
      onEvent?.(observed as unknown as IntegrityEvent);
    } catch {
      // Errors of the observer are ignored.
    }
  };
}
