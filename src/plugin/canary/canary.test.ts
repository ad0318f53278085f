import { afterEach, expect, it, vi } from "vitest";
import type { PatchState } from "../../patching/patch-state.ts";
import type { Protection } from "../../store/openclaw/protection.ts";
import { makeLogger } from "../log.ts";
import { Canary, type CanaryOptions } from "./canary.ts";
import type { Trial, TrialRequest } from "./trial.ts";

const PATCH: PatchState = { root: "/openclaw", release: "2026.9.6", fate: "patched", sentence: "", since: 0 };

afterEach(() => {
  vi.unstubAllEnvs();
  Reflect.deleteProperty(globalThis, Symbol.for("openclaw-integrity.plugin.protection"));
});

type Came = Awaited<ReturnType<Trial["run"]>>;

/** A canary of a process, and what it said. */
function canary(came: Came | Error, more: Partial<CanaryOptions> = {}) {
  const said = { published: [] as Protection[], told: [] as string[], lines: [] as string[], status: [] as string[] };
  const tried: TrialRequest[] = [];
  const line = (text: string): void => void said.lines.push(text);
  const call = async (_method: string, request: TrialRequest): Promise<Came> => {
    tried.push(request);
    if (came instanceof Error) throw came;
    return came;
  };
  const made = new Canary({
    root: "/openclaw",
    trial: { call, stop: async () => {} } as CanaryOptions["trial"],
    publish: async (found) => void said.published.push(found),
    log: makeLogger({ info: line, warn: line, error: line }, "info"),
    notify: (text) => void said.told.push(text),
    delayMs: 0,
    tryGuard: async () => undefined,
    tellService: async (text) => void said.status.push(text),
    availableMemory: () => Infinity,
    ...more,
  });
  return { made, tried, ...said };
}

it("a process whose guard repairs, and whose files answer a corrupt conversation, says so everywhere", async () => {
  const { made, tried, published, told, status } = canary({ verdict: "proven", sentence: "" });
  await made.start(PATCH, true);
  expect(tried).toEqual([{ root: "/openclaw", hook: undefined }]);
  expect(published.map(({ state }) => state)).toEqual(["unknown", "protected"]);
  expect(made.found).toMatchObject({ state: "protected", root: "/openclaw" });
  expect(status).toEqual([expect.stringMatching(/^openclaw-integrity: protected\. /)]);
  expect(told).toEqual([]);
});

it("OpenClaw loads the plugin again: what the process has loaded is the same, and nothing is tried twice", async () => {
  await canary({ verdict: "proven", sentence: "" }).made.start(PATCH, true);
  const { made, tried, published } = canary({ verdict: "patch", sentence: "" });
  await made.start(PATCH, true);
  expect([tried, published, made.found?.state]).toEqual([[], [], "protected"]);
});

it.each([
  [{ verdict: "environment", sentence: "the proof could not be run: it took too long" }, "it took too long"],
  [{ verdict: "release", sentence: "this release does what nobody expects" }, "nobody expects"],
  [new Error("the process ended (SIGKILL)"), "SIGKILL"],
] as const)("what prevents a trial is no reason against the gateway: %j", async (came, why) => {
  const { made, told, lines } = canary(came as Came | Error);
  await made.start(PATCH, true);
  expect(made.found).toMatchObject({ state: "unknown", reason: expect.stringContaining(why) });
  expect(told).toEqual([]);
  expect(lines.join()).toContain("whether this gateway is protected is unknown");
});

it("a trial that the patch has lost, or a guard that repairs nothing, is told to the operator", async () => {
  const lost = canary({ verdict: "patch", sentence: "0 of 2 messages answered" });
  await lost.made.start(PATCH, true);
  expect(lost.made.found).toMatchObject({ state: "not protected" });
  expect(lost.told).toEqual([expect.stringContaining("0 of 2 messages answered")]);
  Reflect.deleteProperty(globalThis, Symbol.for("openclaw-integrity.plugin.protection"));
  const idle = canary({ verdict: "proven", sentence: "" }, { tryGuard: async () => "the guard leaves it" });
  await idle.made.start(PATCH, true);
  expect(idle.made.found).toMatchObject({ state: "not protected", reason: "In this process the guard leaves it." });
  expect([idle.tried, idle.told.length]).toEqual([[], 1]);
});

it("a gateway that was started before its patch, without one, or with the guard switched off starts nothing", async () => {
  const late = canary({ verdict: "proven", sentence: "" });
  await late.made.start({ ...PATCH, since: Date.now() }, false);
  expect(late.made.found).toMatchObject({
    state: "not protected",
    reason: "OpenClaw 2026.9.6 was patched after this gateway had started. Restart the gateway.",
  });
  Reflect.deleteProperty(globalThis, Symbol.for("openclaw-integrity.plugin.protection"));
  vi.stubEnv("OPENCLAW_INTEGRITY", "off");
  const off = canary({ verdict: "proven", sentence: "" });
  await off.made.start(PATCH, false);
  expect(off.made.found?.reason).toContain("OPENCLAW_INTEGRITY=off");
  expect([late.tried, off.tried, late.told, off.told]).toEqual([[], [], [], []]);
});

it("no second OpenClaw is started where the memory may not hold both", async () => {
  const { made, tried } = canary({ verdict: "proven", sentence: "" }, { availableMemory: () => 1_000_000 });
  await made.start(PATCH, true);
  expect(made.found).toMatchObject({ state: "unknown", reason: expect.stringContaining("1 MB, and it takes about") });
  expect(tried).toEqual([]);
});

it("a plugin that is stopped before the trial says nothing more", async () => {
  const { made, tried, published } = canary({ verdict: "proven", sentence: "" }, { delayMs: 60_000 });
  const started = made.start(PATCH, true);
  await made.stop();
  await started;
  expect([tried, published.map(({ state }) => state)]).toEqual([[], ["unknown"]]);
});

it("an OpenClaw that is patched in memory is tried with the hook that patches it", async () => {
  vi.stubEnv("NODE_OPTIONS", "--import=file:///x/register/index.mjs");
  const { made, tried } = canary({ verdict: "proven", sentence: "" });
  await made.start({ ...PATCH, way: "register" }, true);
  expect(tried).toEqual([{ root: "/openclaw", hook: "file:///x/register/index.mjs" }]);
});
