import { observe } from "./emit.ts";
import type { ObservedEvent } from "./events.ts";

/** OpenClaw's own diagnostic event for a recovered session, of which its exporters make a metric. */
export interface SessionRecoveryEvent {
  type: "session.recovery.completed";
  sessionId?: string;
  sessionKey?: string;
  state: "processing";
  /** How long the session could not answer. */
  ageMs: number;
  status: "released" | "failed" | "noop";
  action: string;
}

/** OpenClaw's function that passes an event to its exporters. */
export type EmitToOpenClaw = (event: SessionRecoveryEvent) => void;

/**
 * The outcome in OpenClaw's terms: the session is usable again (`released`), it is not (`failed`), or nothing had to be
 * recovered (`noop`).
 */
const STATUS: Record<string, SessionRecoveryEvent["status"]> = {
  answered: "released",
  reset: "released",
  repaired: "released",
  rolled_back: "released",
  told: "noop",
};

/**
 * Returns a recovery of openclaw-integrity as OpenClaw's own diagnostic event. OpenClaw's exporters know a fixed set of
 * events, of which this one has the same meaning.
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
 * The forwarder of this process: the guard and a plugin each have a copy of this module, and a recovery must be counted
 * once.
 */
const FORWARDING = Symbol.for("openclaw-integrity.forwarding.v1");

/**
 * Forwards every completed recovery to OpenClaw's own diagnostics, so that its Prometheus and OpenTelemetry exporters
 * count it (`openclaw_session_recovery_total`, `openclaw.session.recovery.completed`). `load` returns OpenClaw's
 * function, or undefined when this OpenClaw has none; it is called at the first recovery and not before. A second call
 * in a process has no effect.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { setImmediate } from "node:timers/promises";
 * import { emit, type EmitToOpenClaw, forwardRecoveries } from "openclaw-integrity/observe";
 *
 * const statuses: string[] = [];
 * const toOpenClaw: EmitToOpenClaw = ({ status }) => statuses.push(status); // emitToOpenClaw() returns OpenClaw's own
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
 * Returns OpenClaw's function from the `dist` folder at `dist`, a URL that ends with a slash; undefined for releases
 * before 2026.4.25, which have none, and for releases where the function has another name.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { emitToOpenClaw } from "openclaw-integrity/observe";
 *
 * const emitRecovery = await emitToOpenClaw("file:///usr/lib/no-such-openclaw/dist/");
 * assert.equal(emitRecovery, undefined); // no OpenClaw there; the same for one without the function
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
