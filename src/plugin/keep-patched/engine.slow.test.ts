import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { project, rename, hashTree } from "../../../test/patching/fixture.ts";
import { apply, status } from "../../patching/apply.ts";
import { sha256 } from "../../patching/base/hash.ts";
import { guardText } from "../../patching/plan.ts";
import { readRecord, type RecordedRun, remember } from "../../patching/write/record.ts";
import { readKept, recordKept } from "../../patching/write/kept-record.ts";
import { KeepEngine } from "./engine.ts";

let root: string;
let proofs: string[];
beforeEach(async () => {
  vi.stubEnv("OPENCLAW_STATE_DIR", newFolder());
  ({ root } = await project("2026.9.6"));
  proofs = [];
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function ran(verdict: string, sentence = "it did not answer"): RecordedRun {
  return { release: "2026.9.6", at: new Date().toISOString(), verdict, sentence };
}

function engine(verdict = "proven", sentence?: string): KeepEngine {
  return new KeepEngine(async (proven) => {
    proofs.push(proven);
    expect(status(proven).state).toBe("patched");
    expect(readKept()).toMatchObject([{ step: "applied" }]);
    return ran(verdict, sentence);
  });
}

describe("the automatic application", () => {
  it("patches what an update has left unpatched, proves it, and does nothing a second time", async () => {
    expect(await engine().keep({ root })).toMatchObject({
      isNews: true,
      entry: { step: "proven", release: "2026.9.6" },
    });
    expect(status(root).state).toBe("patched");
    expect(await engine().keep({ root })).toMatchObject({ isNews: false, entry: { step: "proven" } });
    expect(proofs).toHaveLength(1);
  });

  it("reverts byte for byte what the proof refutes, and does not try the release again with the same guard", async () => {
    const before = hashTree(root);
    const result = await engine("patch").keep({ root });
    expect(result).toMatchObject({
      isNews: true,
      entry: { step: "failed", reason: "it did not answer", run: { verdict: "patch" } },
    });
    expect(hashTree(root)).toEqual(before);
    expect(await engine().keep({ root })).toMatchObject({ isNews: false, entry: { step: "failed" } });
    expect(hashTree(root)).toEqual(before);
  });

  it("tries a refuted release again with another guard", async () => {
    await engine("patch").keep({ root });
    const [entry] = readKept();
    recordKept({ ...entry!, guard: "of an older version" });
    expect((await engine().keep({ root })).entry.step).toBe("proven");
  });

  it("keeps a patch whose proof the machine prevented, in any release, and proves it when it is asked again", async () => {
    const first = await engine("environment", "it took too long").keep({ root });
    expect(first.entry).toMatchObject({ step: "unproven", reason: "it took too long", tries: 1 });
    expect(readRecord()).toMatchObject([{ proof: "pending", run: { verdict: "environment" } }]);
    expect(await engine().keep({ root })).toMatchObject({ isNews: false, entry: { step: "unproven" } });
    expect((await engine("environment").keep({ root, again: true })).entry).toMatchObject({
      step: "unproven",
      tries: 2,
    });
    const restartedAt = new Date().toISOString();
    recordKept({ ...readKept()[0]!, restartedAt, isReported: true });
    const last = await engine().keep({ root, again: true });
    expect(last.entry).toMatchObject({ step: "proven", run: { verdict: "proven" }, isReported: true, restartedAt });
    expect(last.entry.tries).toBeUndefined();
    expect(readRecord()).toMatchObject([{ proof: "proven", run: { verdict: "proven" } }]);

    const unknown = (await project("2026.9.6")).root;
    rename(unknown, "2026.12.1");
    const other = new KeepEngine(async () => ran("environment"));
    expect(await other.keep({ root: unknown })).toMatchObject({ known: false, entry: { step: "unproven", tries: 1 } });
    expect(status(unknown).state).toBe("patched");
  });

  it("reverts a patch that stayed unproven when the next proof refutes it", async () => {
    const before = hashTree(root);
    await engine("environment").keep({ root });
    expect((await engine("patch").keep({ root, again: true })).entry.step).toBe("failed");
    expect(hashTree(root)).toEqual(before);
  });

  it("keeps a known release that a proof cannot judge; an unknown one is as published, told once, and tried again", async () => {
    const judged = await engine("release").keep({ root });
    expect(judged.entry).toMatchObject({ step: "unproven" });
    expect(judged.entry.tries).toBeUndefined();
    const unknown = (await project("2026.9.6")).root;
    rename(unknown, "2026.12.1");
    const before = hashTree(unknown);
    const other = (verdict: string): KeepEngine => new KeepEngine(async () => ran(verdict));
    expect(await other("release").keep({ root: unknown })).toMatchObject({ isNews: true, entry: { step: "refused" } });
    expect(hashTree(unknown)).toEqual(before);
    expect(await other("release").keep({ root: unknown })).toMatchObject({ isNews: false, entry: { step: "refused" } });
    expect((await other("proven").keep({ root: unknown })).entry.step).toBe("proven");
  });

  it("changes nothing in a release that the engine refuses, and says so once", async () => {
    const chunk = Object.keys(hashTree(root)).find((file) => /compact-.*\.mjs$/.test(file))!;
    writeFileSync(
      join(root, chunk),
      readFileSync(join(root, chunk), "utf8").replaceAll("limitHistoryTurns", "limited"),
    );
    const before = hashTree(root);
    expect(await engine().keep({ root })).toMatchObject({ isNews: true, entry: { step: "refused" } });
    expect(await engine().keep({ root })).toMatchObject({ isNews: false, entry: { step: "refused" } });
    expect(hashTree(root)).toEqual(before);
    expect(proofs).toEqual([]);
  });

  it("patches what it could not when the same release has other files, as a container made anew has", async () => {
    const entry = { root, release: "2026.9.6", guard: sha256(guardText()), at: new Date().toISOString() };
    recordKept({ ...entry, step: "refused", reason: "not-writable: expected to write into it" });
    expect(await engine().keep({ root })).toMatchObject({ isNews: true, entry: { step: "proven" } });
  });

  it("says it again when the same release is refused for another reason", async () => {
    const entry = { root, release: "2026.9.6", guard: sha256(guardText()), at: new Date().toISOString() };
    recordKept({ ...entry, step: "refused", reason: "not-writable: expected to write into it" });
    rmSync(join(root, "dist"), { recursive: true });
    mkdirSync(join(root, "dist"));
    const result = await engine()
      .keep({ root })
      .catch((error: unknown) => error);
    expect(result).toMatchObject({
      isNews: true,
      entry: { step: "refused", reason: expect.not.stringMatching(/^not-w/) },
    });
  });

  it("may restart again once its last restart has made the patch active: a container made anew is without it", async () => {
    const at = new Date().toISOString();
    recordKept({ root, release: "2026.9.6", guard: "any", step: "proven", at, restartedAt: at, isReported: true });
    const { entry } = await engine().keep({ root });
    expect([entry.step, entry.restartedAt]).toEqual(["proven", undefined]);
  });

  it("does not patch what the operator has reverted, in this release or the next", async () => {
    recordKept({ root, release: "2026.9.5", guard: "", step: "reverted", at: new Date().toISOString() });
    expect((await engine().keep({ root })).entry.step).toBe("reverted");
    expect(status(root).state).toBe("stock");
  });

  it("repeats a proof that a kill interrupted", async () => {
    apply(root);
    recordKept({ root, release: "2026.9.6", guard: "any", step: "applied", at: new Date().toISOString() });
    expect(await engine().keep({ root })).toMatchObject({ isNews: true, entry: { step: "proven" } });
    expect(proofs).toHaveLength(1);
  });

  it("does not repeat a proof that the command line has made", async () => {
    apply(root);
    const { patchSet, release } = status(root);
    remember({ root, release, patchSet, appliedAt: "", ways: [], places: [], proof: "proven" });
    expect(await engine().keep({ root })).toMatchObject({ isNews: false, entry: { step: "proven" } });
    expect(proofs).toEqual([]);
  });

  it("reverts nothing when the gateway ends during the proof", async () => {
    const interrupted = new KeepEngine(() => Promise.reject(new Error("the gateway has ended")));
    await expect(interrupted.keep({ root })).rejects.toThrow("the gateway has ended");
    expect([status(root).state, readKept()[0]?.step]).toEqual(["patched", "applied"]);
    expect((await engine().keep({ root })).entry.step).toBe("proven");
  });

  it("keeps the time of the restart, or a second one would follow", async () => {
    const restartedAt = new Date().toISOString();
    recordKept({ root, release: "2026.9.6", guard: "any", step: "applied", at: restartedAt, restartedAt });
    expect((await engine().keep({ root })).entry.restartedAt).toBe(restartedAt);
  });

  it("rejects while another process is at work, and refuses nothing for that", async () => {
    const stage = join(root, ".openclaw-integrity-stage");
    mkdirSync(stage);
    writeFileSync(join(stage, "pid"), String(process.ppid));
    await expect(engine().keep({ root })).rejects.toThrow("to be the only one who changes");
    expect(readKept().some(({ step }) => step === "refused")).toBe(false);
    rmSync(stage, { recursive: true });
    expect((await engine().keep({ root })).entry.step).toBe("proven");
  });

  it.skipIf(process.getuid?.() === 0)("names a dist that cannot be written", async () => {
    chmodSync(join(root, "dist"), 0o555);
    chmodSync(root, 0o555);
    expect((await engine().keep({ root })).entry).toMatchObject({
      step: "refused",
      reason: expect.stringContaining("not-writable"),
    });
    chmodSync(root, 0o755);
    chmodSync(join(root, "dist"), 0o755);
    expect(existsSync(join(root, "dist", "openclaw-integrity.mjs"))).toBe(false);
  });
});
