import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { newFolder } from "../../harness/temporary.ts";
import { isAlive } from "../../src/base/processes.ts";
import { readRecord } from "../../src/patching/write/record.ts";
import { cli, projectWith, tomorrow, userEnvironment } from "../cli/fixture.ts";
import { hashTree } from "../patching/fixture.ts";
import { answersWhile, HANGS, seenBy, WORKS } from "./stub.ts";
import { patience } from "../../harness/patience.ts";

/** A project with an unknown release whose start file has this code; the files of the patch are real. */
async function unknown(start: string): Promise<{ readonly folder: string; readonly root: string }> {
  const made = await projectWith("2026.9.6");
  tomorrow(made.root);
  writeFileSync(join(made.root, "openclaw.mjs"), start);
  return made;
}

test("an unknown release that does not start with the patch, guard or not, gets its published files back", async () => {
  const { folder, root } = await unknown('throw new Error("no mittens");');
  const env = userEnvironment(newFolder());
  const before = hashTree(root);
  const { status, data } = cli(["apply", "--json"], folder, env);
  expect({ status, data }).toMatchObject({
    status: 1,
    data: { ok: false, code: "could-not-run", action: "reverted", state: "stock", proof: { verdict: "release" } },
  });
  expect(data["message"]).toMatch(/no mittens.*The patch was taken back/);
  expect(hashTree(root)).toEqual(before);
  expect(readRecord(env)).toEqual([]);
  expect(cli(["apply", "--quiet"], folder, env)).toMatchObject({
    status: 1,
    stdout: "",
    stderr: expect.stringContaining("The patch was taken back: OpenClaw 2026.9.7 is as published again."),
  });
});

test("where no Node runs the release nothing is proved, the patch stays, and status says so", async () => {
  const { folder, root } = await unknown(HANGS);
  const manifest = join(root, "package.json");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace("{", '{"engines": { "node": ">=99.0.0" },'));
  const env = userEnvironment(newFolder());
  expect(cli(["apply"], folder, env)).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/the patch stays, and is not proven: .*needs Node >=99\.0\.0; found v/),
  });
  expect(seenBy(root)).toBeUndefined();
  expect(cli(["status"], folder, env)).toMatchObject({ status: 0, stdout: expect.stringContaining("not proven") });
  expect(cli(["status", "--json"], folder, env).data).toMatchObject({ installations: [{ proof: "pending" }] });
  expect(cli(["prove", "--json"], folder, env)).toMatchObject({ status: 1, data: { code: "could-not-run" } });
  // Asked for, it is no success.
  expect(cli(["apply", "--prove", "--json"], folder, env)).toMatchObject({
    status: 1,
    data: { ok: false, code: "could-not-run", action: "kept", state: "patched" },
  });
});

test("kill -9 in the proof leaves the patch, and a record that it is not proven; Ctrl-C takes the patch back", async () => {
  const { folder, root } = await unknown(HANGS);
  const env = userEnvironment(newFolder());
  const before = hashTree(root);
  for (const signal of ["SIGKILL", "SIGINT"] as const) {
    rmSync(join(root, "seen.json"), { force: true });
    const command = spawn(process.execPath, [MAIN, "apply"], { cwd: folder, env, stdio: "ignore" });
    const seen = await vi.waitFor(() => seenBy(root) ?? Promise.reject(new Error("not started")), patience(30_000));
    command.kill(signal);
    const [code] = (await once(command, "exit")) as [number | null];
    await vi.waitFor(() => expect(seen.pids.filter(isAlive)).toEqual([]), patience(30_000));
    if (signal === "SIGKILL") {
      expect(readRecord(env)).toMatchObject([{ root, proof: "pending" }]);
      expect(cli(["status"], folder, env).stdout).toContain("not proven on this machine");
    } else expect(code).toBe(1);
  }
  rmSync(join(root, "seen.json"));
  expect(hashTree(root)).toEqual(before);
  expect(readRecord(env)).toEqual([]);
});

// A real OpenClaw behind the same: apply.heavy.test.ts.
test("a patch that fits and recovers nothing is found by the proof, and taken back; one that works stays", async () => {
  const { folder, root } = await unknown(answersWhile("true"));
  const env = userEnvironment(newFolder());
  const failed = cli(["apply"], folder, env);
  expect(failed.status).toBe(1);
  expect(failed.stderr).toMatch(/NOT proven: 1 of 6 sessions failed[\s\S]*The patch was taken back/);
  expect(cli(["status"], folder, env).status).toBe(3);

  writeFileSync(join(root, "openclaw.mjs"), WORKS);
  const proven = cli(["apply", "--json"], folder, env);
  expect(proven).toMatchObject({ status: 0, data: { ok: true, state: "patched", proof: { verdict: "proven" } } });
  expect(readRecord(env)).toMatchObject([{ root, proof: "proven", run: { verdict: "proven", release: "2026.9.7" } }]);
  // Once is enough.
  expect(cli(["apply", "--json"], folder, env).data["proof"]).toBeUndefined();
  expect(cli(["status"], folder, env).stdout).not.toContain("not proven");
});
