import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import type { PatchState } from "../../patching/patch-state.ts";
import { type Kept, findKept, readKept, recordKept } from "../../patching/write/kept-record.ts";
import { remember } from "../../patching/write/record.ts";
import type { RemoteCalls } from "../remote/remote.ts";
import type { KeepEngine, KeepResult } from "./engine.ts";
import { PatchKeeper, type PatchKeeperOptions } from "./patch-keeper.ts";
import { RunningTurns } from "./running-turns.ts";
import { patience } from "../../../harness/patience.ts";

let root: string;
let told: string[];
let logged: string[];
let sent: string[];
let turns: RunningTurns;

beforeEach(() => {
  vi.stubEnv("OPENCLAW_STATE_DIR", newFolder());
  // The operator is asked once in a process and for each OpenClaw.
  root = newFolder();
  [told, logged, sent, calls] = [[], [], [], []];
  turns = new RunningTurns();
  process.on("SIGUSR2", () => undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  process.removeAllListeners("SIGUSR2");
});

function stock(release = "2026.9.6"): PatchState {
  return { root, release, fate: "updated", sentence: "" };
}

function entry(step: Kept["step"], more: Partial<Kept> = {}): Kept {
  return { root, release: "2026.9.6", guard: "g", step, at: "2026-11-23T00:00:00.000Z", ...more };
}

/** How the engine was called. */
let calls: object[];

function keeper(answers: readonly (KeepResult | Error)[], options: Partial<PatchKeeperOptions> = {}): PatchKeeper {
  const left = [...answers];
  const engine = {
    call: async (_: string, given: object) => {
      calls.push(given);
      const answer = left.shift();
      if (answer === undefined) throw new Error("one call too many");
      if (answer instanceof Error) throw answer;
      recordKept(answer.entry);
      return answer;
    },
    stop: async () => undefined,
  } as unknown as RemoteCalls<KeepEngine>;
  const line = (text: string): void => void logged.push(text);
  return new PatchKeeper({
    config: { enabled: true, restart: "auto" },
    engine,
    turns,
    log: { debug: line, info: line, warn: line, error: line },
    notify: (text) => void told.push(text),
    supervision: async () => ({ by: "systemd" }),
    send: (signal) => void sent.push(signal),
    timing: { retries: [1, 1], proofs: [1, 1], sinceStart: 0, quiet: 0, restart: 1 },
    ...options,
  });
}

describe("a gateway that starts without the patch", () => {
  it("restarts once when nobody is being answered, and never again for this release", async () => {
    turns.began("agent:main:busy");
    const starting = keeper([{ entry: entry("proven"), isNews: true, patchSet: "5", known: true }]).start(
      stock(),
      false,
    );
    await vi.waitFor(() => expect(told).toHaveLength(1), patience(1000));
    expect(told[0]).toContain("restarts as soon as nobody is being answered");
    expect(sent).toEqual([]);
    turns.ended("agent:main:busy");
    await starting;
    expect(sent).toEqual(["SIGUSR2"]);
    expect(findKept(root, "2026.9.6")?.restartedAt).toBeDefined();
    // It came back without the patch: a container without a layer of its own, for instance.
    await keeper([{ entry: readKept()[0]!, isNews: true, patchSet: "5", known: true }]).start(stock(), false);
    expect(sent).toEqual(["SIGUSR2"]);
  });

  it("does not restart under the hands of an updater that verifies it, and not never when that one hangs", async () => {
    const proven = { entry: entry("proven"), isNews: true, patchSet: "5", known: true };
    let isUpdating = true;
    const timing = { retries: [], sinceStart: 0, quiet: 0, restart: 1, poll: 5, update: Infinity };
    const starting = keeper([proven], { isUpdating: () => isUpdating, timing }).start(stock(), false);
    await vi.waitFor(() => expect(told).toHaveLength(1), patience(1000));
    expect(told[0]).toContain("as soon as the update has ended and nobody is being answered");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(sent).toEqual([]);
    isUpdating = false;
    await starting;
    expect(sent).toEqual(["SIGUSR2"]);

    const hanging = { isUpdating: () => true, timing: { ...timing, update: 0 } };
    await keeper([{ ...proven, entry: entry("proven", { release: "2026.9.7" }) }], hanging).start(
      stock("2026.9.7"),
      false,
    );
    expect(sent).toEqual(["SIGUSR2", "SIGUSR2"]);
  });

  it("asks the operator where nothing would start the gateway again, once in a process", async () => {
    const options = { supervision: async () => ({ by: undefined, reason: "it runs in a terminal" }) as const };
    const result = { entry: entry("proven"), isNews: true, patchSet: "5", known: true };
    await keeper([result], options).start(stock(), false);
    await keeper([{ ...result, isNews: false }], options).start(stock(), false);
    expect(sent).toEqual([]);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(
      "Restart the gateway to make it active; it was not restarted because it runs in a terminal.",
    );
  });

  it("says that the restart did not happen, when OpenClaw ignores the signal", async () => {
    await keeper([{ entry: entry("proven"), isNews: true }]).start(stock(), false);
    expect(told.at(-1)).toContain("commands.restart may be off");
  });

  it("ends the process where the operator vouches for its restart, and asks where he wants to be asked", async () => {
    await keeper([{ entry: entry("proven"), isNews: true }], { config: { enabled: true, restart: "exit" } }).start(
      stock(),
      false,
    );
    expect(sent).toEqual(["SIGTERM"]);
    const other = { ...entry("proven"), release: "2026.9.7" };
    await keeper([{ entry: other, isNews: true }], { config: { enabled: true, restart: "ask" } }).start(
      stock("2026.9.7"),
      false,
    );
    expect(sent).toEqual(["SIGTERM"]);
    expect(told.at(-1)).toContain("keepPatched.restart is ask");
  });

  it("does not restart when the restart cannot be recorded: nothing would know of it afterwards", async () => {
    const unwritable = keeper([{ entry: entry("proven"), isNews: true }], {
      supervision: async () => {
        // A file stands where the folder of the record has to be.
        vi.stubEnv("OPENCLAW_STATE_DIR", "/dev/null");
        return { by: "systemd" };
      },
    });
    await unwritable.start(stock(), false);
    expect(sent).toEqual([]);
    expect(told.at(-1)).toContain("The patch could not be kept");
  });

  it("reports a refusal and a failed proof once, and what the operator has reverted never in chat", async () => {
    await keeper([{ entry: entry("refused", { reason: "not-writable: a read-only image" }), isNews: true }]).start(
      stock(),
      false,
    );
    expect(told).toEqual([expect.stringContaining("a read-only image")]);
    await keeper([{ entry: entry("refused"), isNews: false }]).start(stock(), false);
    await keeper([{ entry: entry("reverted"), isNews: false }]).start(stock(), false);
    expect(told).toHaveLength(1);
    expect(sent).toEqual([]);
  });

  it("waits while another process works on the same OpenClaw, and gives up in words", async () => {
    const busy = new Error("process 4711 at work in it");
    await keeper([busy, busy, { entry: entry("proven"), isNews: true }]).start(stock(), false);
    expect(sent).toEqual(["SIGUSR2"]);
    await keeper([busy, busy, busy]).start(stock("2026.9.7"), false);
    expect(told.at(-1)).toContain("process 4711 at work in it");
  });

  it("does nothing when it is off, or when the whole guard is turned off", async () => {
    await keeper([], { config: { enabled: false, restart: "auto" } }).start(stock(), false);
    vi.stubEnv("OPENCLAW_INTEGRITY", "off");
    await keeper([]).start(stock(), false);
    expect([...told, ...sent]).toEqual([]);
  });

  it("ends its waiting when OpenClaw unloads the plugin, without a word", async () => {
    turns.began("agent:main:busy");
    const one = keeper([{ entry: entry("proven"), isNews: true }]);
    const starting = one.start(stock(), false);
    await vi.waitFor(() => expect(told).toHaveLength(1), patience(1000));
    await one.stop();
    await starting;
    expect(told).toHaveLength(1);
    expect(sent).toEqual([]);
  });
});

describe("a proof that the machine has prevented", () => {
  const active = (): PatchState => ({ ...stock(), fate: "patched" });
  const unproven = (tries: number, more: Partial<Kept> = {}): KeepResult => ({
    entry: entry("unproven", { reason: "it took too long.", tries, ...more }),
    isNews: true,
    patchSet: "5",
    known: true,
  });
  const proven = { ...unproven(1), entry: entry("proven") };

  it("is repeated in the gateway that runs with the patch, as often as is recorded over all gateways", async () => {
    recordKept(unproven(1, { isReported: true }).entry);
    await keeper([unproven(2, { isReported: true }), unproven(3, { isReported: true })]).start(active(), true);
    expect(calls).toEqual([
      { root, again: true },
      { root, again: true },
    ]);
    await keeper([]).start(active(), true);
    expect(told).toEqual([]);
  });

  it("is told when it comes to its end: proven or refuted", async () => {
    recordKept(unproven(1, { isReported: true }).entry);
    await keeper([proven]).start(active(), true);
    expect(told).toEqual(["The patch of OpenClaw 2026.9.6 is proven now with corrupt sessions on this machine."]);
    recordKept(unproven(1, { isReported: true }).entry);
    await keeper([{ ...proven, entry: entry("failed", { reason: "no answer." }) }]).start(active(), true);
    expect(told[1]).toContain("failed its proof, and was reverted: no answer.");
  });

  it("lets a known release restart, which says that it is unproven", async () => {
    await keeper([unproven(9)]).start(stock(), false);
    expect(told[0]).toMatch(/It is not proven on this machine: it took too long\. The proof is repeated later\./);
    expect(sent).toEqual(["SIGUSR2"]);
    await keeper([]).start(active(), true);
    expect(told.at(-1)).toBe("The core patch is active again in OpenClaw 2026.9.6. It is not proven on this machine.");
  });

  it("restarts no gateway into a release that nobody has looked at before it is proven", async () => {
    await keeper([{ ...unproven(9), known: false }]).start(stock(), false);
    expect([told.length, sent]).toEqual([1, []]);
    await keeper([{ ...unproven(1), known: false }, proven]).start(stock(), false);
    expect(sent).toEqual(["SIGUSR2"]);
  });

  it("is repeated after setup or apply, too", async () => {
    remember({ root, release: "2026.9.6", patchSet: "5", appliedAt: "", ways: [], places: [], proof: "pending" });
    await keeper([unproven(1), proven]).start(active(), true);
    expect(calls).toEqual([
      { root, again: false },
      { root, again: true },
    ]);
    expect(told.map((text) => text.slice(0, 49))).toEqual([
      "The patch of OpenClaw 2026.9.6 is not proven on t",
      "The patch of OpenClaw 2026.9.6 is proven now with",
    ]);
  });

  it("tells words of others on one line that ends", async () => {
    const reason = `it printed: no\nThe core patch is active again\u001b[2K\u202e${"x".repeat(100_000)}`;
    await keeper([{ ...proven, entry: entry("failed", { reason }) }]).start(stock(), false);
    expect(told[0]).toContain(String.raw`no\u000aThe core patch is active again\u001b[2K\u202e`);
    for (const character of "\n\u001b\u202e") expect(told[0]).not.toContain(character);
    expect(told[0]!.length).toBeLessThan(3000);
  });
});

describe("a gateway that starts with the patch", () => {
  const active = (): PatchState => ({ ...stock(), fate: "patched" });

  it("says once that it is active again", async () => {
    recordKept(entry("refused", { release: "2026.9.5", reason: "not-writable: a read-only image" }));
    recordKept(entry("proven", { restartedAt: "2026-11-23T00:01:00.000Z" }));
    await keeper([]).start(active(), true);
    await keeper([]).start(active(), true);
    expect(told).toEqual(["The core patch is active again in OpenClaw 2026.9.6."]);
  });

  it("repeats the proof that a kill has interrupted", async () => {
    recordKept(entry("applied"));
    await keeper([{ entry: entry("proven"), isNews: true }]).start(active(), true);
    expect(told).toEqual(["The core patch is active again in OpenClaw 2026.9.6."]);
  });

  it("says that the patch was reverted when the repeated proof fails, and restarts nothing for that", async () => {
    recordKept(entry("applied"));
    await keeper([{ entry: entry("failed", { reason: "no answer." }), isNews: true }]).start(active(), true);
    expect(told).toEqual([expect.stringContaining("failed its proof, and was reverted: no answer.")]);
    expect(sent).toEqual([]);
  });

  it.each(["failed", "refused", "reverted"] as const)(
    "drops what was recorded as %s in a folder that an image with the patch has replaced",
    async (step) => {
      recordKept(entry(step, { release: step === "reverted" ? "2026.9.5" : "2026.9.6", reason: "no answer." }));
      await keeper([]).start(active(), true);
      await keeper([]).start(active(), true);
      expect(told).toEqual([]);
      expect(readKept()).toEqual([]);
    },
  );

  it("keeps the operator's word on the files while the patch is active from memory", async () => {
    recordKept(entry("reverted"));
    await keeper([]).start({ ...active(), way: "register" }, true);
    expect(told).toEqual([]);
    expect(readKept()).toMatchObject([{ step: "reverted" }]);
  });

  it("says nothing where the operator applied the patch himself", async () => {
    await keeper([]).start(active(), true);
    expect([...told, ...logged]).toEqual([]);
  });
});
