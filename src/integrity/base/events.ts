import {
  emit,
  type EventName,
  type Kinds,
  type Measured,
  type ObservedEvent,
  type Payloads,
} from "../../observe/index.ts";

/**
 * What observers are told; docs/events.md lists names and fields. Ids, counts and kinds, never words of a conversation.
 */
export type IntegrityEvent = ObservedEvent;

/** Tells an event; the payload is only built when somebody listens. */
export type Emit = <Name extends EventName>(
  event: Name,
  payload: () => Payloads[Name],
  measured?: Measured<Name>,
) => void;

/**
 * Where events go: to the counters and channels of the process, and to this SessionIntegrity's own observer and log. An
 * observer that fails is not heard of: it must not stop the agent.
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
      const told = {
        event,
        at: Date.now(),
        ...(durationMs !== undefined && { durationMs }),
        ...(kind !== undefined && { kind }),
        ...(kinds && { kinds }),
        ...payload(),
      };
      log?.(`[openclaw-integrity] ${JSON.stringify(told)}`);
      onEvent?.(told as unknown as IntegrityEvent);
    } catch {
      // The observer's own business.
    }
  };
}

/** How often each of these occurs. */
export function countOf(kinds: readonly string[]): Kinds {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
