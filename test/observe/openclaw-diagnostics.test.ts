import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  asSessionRecovery,
  emit,
  emitToOpenClaw,
  forwardRecoveries,
  type EmitToOpenClaw,
  type SessionRecoveryEvent,
} from "../../src/observe/index.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { patience } from "../../harness/patience.ts";

const FORWARDING = Symbol.for("openclaw-integrity.forwarding.v1");
const distUrl = (release: string): URL =>
  pathToFileURL(`${join(releasesFolder(), release, "stock", "node_modules", "openclaw", "dist")}/`);
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function recovered(kind = "answered", rungs: readonly string[] = ["calls_as_text", "flat"]): void {
  emit(
    "l0:recovery:complete",
    () => ({ sessionId: "one", sessionKey: "agent:main:one", steps: 2, rungs, isArchived: false }),
    { kind, since: performance.now() - 1500 },
  );
}

function stopForwarding(): void {
  const shared = globalThis as { [FORWARDING]?: () => void };
  shared[FORWARDING]?.();
  delete shared[FORWARDING];
}
beforeEach(stopForwarding);
afterEach(stopForwarding);

describe("a recovery", () => {
  it("reaches those who listen to OpenClaw 2026.9.6's diagnostics, trusted, as its exporters want it", async () => {
    const { onInternalDiagnosticEvent } = (await import(
      new URL("plugin-sdk/diagnostic-runtime.js", distUrl("2026.9.6")).href
    )) as {
      onInternalDiagnosticEvent: (
        listener: (event: SessionRecoveryEvent, metadata: { trusted: boolean }) => void,
      ) => () => void;
    };
    const heard: unknown[] = [];
    const stop = onInternalDiagnosticEvent((event, { trusted }) => void heard.push({ ...event, trusted }));
    forwardRecoveries(() => emitToOpenClaw(distUrl("2026.9.6")));
    recovered();
    await vi.waitFor(() => expect(heard).toHaveLength(1), patience(10_000));
    stop();
    expect(heard).toEqual([
      expect.objectContaining({
        type: "session.recovery.completed",
        trusted: true,
        sessionId: "one",
        sessionKey: "agent:main:one",
        state: "processing",
        status: "released",
        action: "integrity:flat",
      }),
    ]);
    expect((heard[0] as SessionRecoveryEvent).ageMs).toBeGreaterThanOrEqual(1500);
  });

  it("is told nobody by OpenClaw 2026.2.3, which has no such diagnostics, and does no harm", async () => {
    const said = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    expect(await emitToOpenClaw(distUrl("2026.2.3"))).toBeUndefined();
    forwardRecoveries(() => emitToOpenClaw(distUrl("2026.2.3")));
    recovered();
    await settled();
    expect(said).not.toHaveBeenCalled();
    said.mockRestore();
  });

  it("is told once when the guard and a plugin both tell it", async () => {
    const told: SessionRecoveryEvent[] = [];
    const load = async (): Promise<EmitToOpenClaw> => (event) => void told.push(event);
    vi.resetModules();
    const copy = await import("../../src/observe/index.ts");
    forwardRecoveries(load);
    copy.forwardRecoveries(load);
    recovered();
    await settled();
    expect(told).toHaveLength(1);
  });

  it("is what OpenClaw's function is loaded for; without one nothing of OpenClaw's is loaded", async () => {
    const load = vi.fn<() => Promise<undefined>>(async () => undefined);
    forwardRecoveries(load);
    emit("l0:repair:complete", () => ({ gate: "history", messages: 3 }), { kinds: {} });
    await settled();
    expect(load).not.toHaveBeenCalled();
    recovered();
    recovered();
    await settled();
    expect(load).toHaveBeenCalledTimes(1);
  });

  it.each([
    { kind: "answered", rungs: ["calls_as_text"], status: "released", action: "integrity:calls_as_text" },
    { kind: "reset", rungs: ["calls_as_text", "flat"], status: "released", action: "integrity:reset" },
    { kind: "refused", rungs: ["flat"], status: "failed", action: "integrity:flat" },
    { kind: "refused", rungs: [], status: "failed", action: "integrity:refused" },
    { kind: "told", rungs: [], status: "noop", action: "integrity:told" },
    { kind: "escalate", rungs: [], status: "failed", action: "integrity:escalate" },
  ])(
    "that ended as $kind after $rungs is $status by $action in OpenClaw's words",
    ({ kind, rungs, status, action }) => {
      const told = asSessionRecovery({
        event: "l0:recovery:complete",
        at: 1,
        kind,
        rungs,
        steps: 1,
        isArchived: false,
        durationMs: 12,
      });
      expect(told).toEqual({ type: "session.recovery.completed", state: "processing", ageMs: 12, status, action });
    },
  );
});
