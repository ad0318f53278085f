// A plugin as a user could write it: it serves the counters over the gateway's port. For the test it can also make them
// move.

/** What OpenClaw's exporters are told: they listen to the same dispatcher. */
const told = [];

async function begin() {
  const observe = await import(process.env.OBSERVE_MODULE);
  const { emitTrustedDiagnosticEvent, onInternalDiagnosticEvent } =
    await import("openclaw/plugin-sdk/diagnostic-runtime");
  observe.forwardRecoveries(async () => emitTrustedDiagnosticEvent);
  onInternalDiagnosticEvent((event, metadata) => void told.push({ event, metadata }), {
    include: ["session.recovery.completed"],
  });
  return observe;
}

// OpenClaw evaluates a plugin and registers it more than once in a process.
const begun = begin();

export default {
  id: "observe-test",
  name: "observe-test",
  register(api) {
    const route = (path, answer) =>
      api.registerHttpRoute({
        path,
        auth: "gateway",
        match: "exact",
        async handler(_request, response) {
          answer(await begun, response);
          return true;
        },
      });
    route("/api/openclaw-integrity/metrics", ({ PROMETHEUS_CONTENT_TYPE, prometheusText }, response) => {
      response.setHeader("Content-Type", PROMETHEUS_CONTENT_TYPE);
      response.end(prometheusText());
    });
    route("/api/openclaw-integrity/recover", ({ emit, exportToOpenTelemetry }, response) => {
      exportToOpenTelemetry();
      emit("l0:repair:complete", () => ({ gate: "history", messages: 3 }), {
        kinds: { orphaned_tool_result: 2 },
        since: performance.now() - 7,
      });
      emit("l0:recovery:complete", () => ({ sessionId: "one", steps: 1, rungs: ["flat"], isArchived: false }), {
        kind: "answered",
        since: performance.now() - 1500,
      });
      // What forwards them does so in the same turn of the event loop, but not at once.
      setImmediate(() => response.end());
    });
    route("/api/openclaw-integrity/told", (_observe, response) => response.end(JSON.stringify(told)));
  },
};
