import { logFailure } from "./base/log.ts";

/** OpenClaw's field of a session: functions that pass its events on to channels and clients. They store nothing. */
const LISTENERS = "_eventListeners";

/** Returns those who listen to a session now; none where a release has no such field. A copy: the list may change. */
export function listListeners(session: object): readonly unknown[] {
  const listeners: unknown = Reflect.get(session, LISTENERS);
  return Array.isArray(listeners) ? (listeners as unknown[]).slice() : [];
}

/** Tells listeners a text, as a message of the agent's that is not stored. Never throws. */
export function tellPerson(listeners: readonly unknown[], text: string): void {
  const message = { role: "assistant", content: [{ type: "text", text }], stopReason: "stop", timestamp: Date.now() };
  emitTo(listeners, { type: "message_start", message });
  emitTo(listeners, { type: "message_end", message });
}

/** Tells listeners an event; one that throws does not keep it from the others. Never throws. */
export function emitTo(listeners: readonly unknown[], event: object): void {
  for (const listener of listeners)
    try {
      if (typeof listener === "function") Reflect.apply(listener, undefined, [event]);
    } catch (error) {
      logFailure("notice", error, "not everybody is told");
    }
}
