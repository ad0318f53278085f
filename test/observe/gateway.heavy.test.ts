import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { findPoint, startOtlpReceiver, type OtlpReceiver } from "./otlp-receiver.ts";

const RELEASE = "2026.9.6";
const METRICS = "/api/openclaw-integrity/metrics";
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const HEALTHY = [
  {
    type: "session",
    version: 3,
    id: "00000000-0000-4000-8000-000000000001",
    timestamp: "2026-11-01T00:00:00.000Z",
    cwd: "/",
  },
  {
    type: "message",
    id: "aaaaaaa1",
    parentId: null,
    timestamp: "2026-11-01T00:00:00.000Z",
    message: { role: "user", content: [{ type: "text", text: "hello" }], timestamp: 1 },
  },
];

interface Settings {
  plugins: { allow: string[]; load?: object; entries?: object };
  gateway: { port: number; auth: { token: string } };
}

describe(`the gateway of OpenClaw ${RELEASE} with a plugin and an OpenTelemetry SDK of the operator's`, () => {
  let provider: StrictProvider;
  let receiver: OtlpReceiver;
  let gateway: Gateway;
  let settings: Settings;
  beforeAll(async () => {
    provider = await startProvider();
    receiver = await startOtlpReceiver();
    const env = {
      OBSERVE_MODULE: new URL("../../src/observe/index.ts", import.meta.url).href,
      OTLP_ENDPOINT: receiver.url,
      OPENCLAW_OTEL_PRELOADED: "1",
      NODE_OPTIONS: `--import ${new URL("preload.ts", import.meta.url).href}`,
    };
    gateway = await openGateway({
      root: join(releasesFolder(), RELEASE, "stock"),
      release: RELEASE,
      providerUrl: provider.url,
      env,
    });
    await gateway.seed("agent:main:one", `${HEALTHY.map((entry) => JSON.stringify(entry)).join("\n")}\n`);
    settings = await addPlugin(join(gateway.stateDir, "openclaw.json"));
    await gateway.start();
    const { status } = await get("/api/openclaw-integrity/recover");
    if (status !== 200)
      throw new Error(`expected the plugin's answer, found ${status}. The gateway printed:\n${gateway.log()}`);
  });
  afterAll(async () => {
    await gateway?.close();
    await receiver?.close();
    await provider?.close();
  });

  function get(path: string, token = settings.gateway.auth.token): Promise<Response> {
    return fetch(`http://127.0.0.1:${settings.gateway.port}${path}`, { headers: { Authorization: `Bearer ${token}` } });
  }

  it("serves the counters as Prometheus' text to those who have the gateway's token, and to nobody else", async () => {
    const response = await get(METRICS);
    expect(response.headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const lines = (await response.text()).split("\n");
    expect(lines).toContain('openclaw_integrity_events_total{event="l0:recovery:complete"} 1');
    expect(lines).toContain('openclaw_integrity_kinds_total{event="l0:repair:complete",kind="orphaned_tool_result"} 2');
    expect(lines).toContain('openclaw_integrity_duration_seconds_count{event="l0:repair:complete"} 1');
    expect((await get(METRICS, "another")).status).toBe(401);
  });

  it("exports them by OTLP", async () => {
    const found = await receiver.next();
    expect(findPoint(found.get("openclaw.integrity.events"), { event: "l0:recovery:complete" })?.asDouble).toBe(1);
    expect(
      findPoint(found.get("openclaw.integrity.kinds"), { event: "l0:repair:complete", kind: "orphaned_tool_result" })
        ?.asDouble,
    ).toBe(2);
    expect(findPoint(found.get("openclaw.integrity.duration"), { event: "l0:recovery:complete" })?.count).toBe(1);
  });

  it("tells OpenClaw's own exporters each recovery once, as an event that they take, though OpenClaw registers a plugin several times", async () => {
    const told = (await (await get("/api/openclaw-integrity/told")).json()) as unknown[];
    const event = {
      type: "session.recovery.completed",
      sessionId: "one",
      state: "processing",
      status: "released",
      action: "integrity:flat",
      ageMs: expect.any(Number),
    };
    expect(told).toEqual([
      { event: expect.objectContaining(event), metadata: expect.objectContaining({ trusted: true }) },
    ]);
  });
});

/** Lets the gateway load the test's plugin; its settings. */
async function addPlugin(file: string): Promise<Settings> {
  const settings = JSON.parse(await readFile(file, "utf8")) as Settings;
  settings.plugins.allow.push("observe-test");
  settings.plugins.load = { paths: [here("plugin")] };
  settings.plugins.entries = { "observe-test": { enabled: true } };
  await writeFile(file, JSON.stringify(settings));
  return settings;
}
