import { observe } from "./emit.ts";
import type { ObservedEvent } from "./events.ts";

/** OpenClaw's own diagnostic event for a session that was brought back; what its exporters make a metric of. */
export interface SessionRecoveryEvent {
  type: "session.recovery.completed";
  sessionId?: string;
  sessionKey?: string;
  state: "processing";
  /** How long the session could not be answered. */
  ageMs: number;
  status: "released" | "failed" | "noop";
  action: string;
}

/** OpenClaw's function that tells its exporters an event. */
export type EmitToOpenClaw = (event: SessionRecoveryEvent) => void;

/**
 * What became of the session, in OpenClaw's words: it can be used again, it cannot, or there was nothing to bring back.
 */
const STATUS: Record<string, SessionRecoveryEvent["status"]> = {
  answered: "released",
  reset: "released",
  repaired: "released",
  rolled_back: "released",
  told: "noop",
};

/**
 * A recovery of ours as OpenClaw's own diagnostic event. Its exporters know a fixed set of events, and this is the one
 * that means the same.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { asSessionRecovery } from "openclaw-integrity/observe";
 *
 * const event = asSessionRecovery({
 *   event: "l0:recovery:complete",
 *   at: Date.now(),
 *   durationMs: 900,
 *   kind: "answered",
 *   sessionId: "s1",
 *   steps: 1,
 *   rungs: ["flat"],
 *   isArchived: false,
 * });
 * assert.equal(event.status, "released");
 * assert.equal(event.action, "integrity:flat");
 * ```
 */
export function asSessionRecovery({
  kind,
  rungs,
  durationMs,
  sessionId,
  sessionKey,
}: ObservedEvent<"l0:recovery:complete">): SessionRecoveryEvent {
  return {
    type: "session.recovery.completed",
    ...(sessionId !== undefined && { sessionId }),
    ...(sessionKey !== undefined && { sessionKey }),
    state: "processing",
    ageMs: durationMs ?? 0,
    status: STATUS[kind] ?? "failed",
    action: `integrity:${kind === "reset" ? kind : (rungs.at(-1) ?? kind)}`,
  };
}

/**
 * What forwards in this process: the guard and a plugin have a copy of this module each, and a recovery must be counted
 * once.
 */
const FORWARDING = Symbol.for("openclaw-integrity.forwarding.v1");

/**
 * Tells every end of a recovery to OpenClaw's own diagnostics, so that its Prometheus and OpenTelemetry exporters count
 * it (`openclaw_session_recovery_total`, `openclaw.session.recovery.completed`). `load` gives OpenClaw's function at
 * the first recovery, or undefined where this OpenClaw has none; nothing is loaded before. Begun twice in a process, it
 * goes on once.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { setImmediate } from "node:timers/promises";
 * import { emit, type EmitToOpenClaw, forwardRecoveries } from "openclaw-integrity/observe";
 *
 * const statuses: string[] = [];
 * const toOpenClaw: EmitToOpenClaw = ({ status }) => statuses.push(status); // emitToOpenClaw() gives OpenClaw's own
 * forwardRecoveries(async () => toOpenClaw);
 * emit("l0:recovery:complete", () => ({ steps: 1, rungs: ["flat"], isArchived: false }), { kind: "answered" });
 * await setImmediate();
 * assert.deepEqual(statuses, ["released"]);
 * ```
 */
export function forwardRecoveries(load: () => Promise<EmitToOpenClaw | undefined>): void {
  const shared = globalThis as { [FORWARDING]?: () => void };
  if (shared[FORWARDING]) return;
  let loaded: Promise<EmitToOpenClaw | undefined> | undefined;
  shared[FORWARDING] = observe(
    async (event) => {
      loaded ??= load();
      (await loaded)?.(asSessionRecovery(event));
    },
    ["l0:recovery:complete"],
  );
}

/**
 * OpenClaw's function out of the `dist` folder at `dist`, a URL with a slash at its end; undefined for releases before
 * 2026.4.25, which have none, and for those whose own has another name.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { emitToOpenClaw } from "openclaw-integrity/observe";
 *
 * const emitRecovery = await emitToOpenClaw("file:///usr/lib/no-such-openclaw/dist/");
 * assert.equal(emitRecovery, undefined); // there, or in an OpenClaw that has no such function
 * ```
 */
export async function emitToOpenClaw(dist: string | URL): Promise<EmitToOpenClaw | undefined> {
  try {
    const runtime = (await import(new URL("plugin-sdk/diagnostic-runtime.js", dist).href)) as {
      emitTrustedDiagnosticEvent?: EmitToOpenClaw;
    };
    return typeof runtime.emitTrustedDiagnosticEvent === "function" ? runtime.emitTrustedDiagnosticEvent : undefined;
  } catch {
    return undefined;
  }
}
