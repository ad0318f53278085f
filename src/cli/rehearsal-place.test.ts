import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { isAlive } from "../base/processes.ts";
import { leftLines, RehearsalPlace, removeLeft } from "./rehearsal-place.ts";

let state: string;
beforeEach(() => {
  state = newFolder();
  vi.stubEnv("OPENCLAW_STATE_DIR", state);
});
afterEach(() => void vi.unstubAllEnvs());

/** A process that takes the place, with a sleeping npm in it, and is killed. */
async function killed(): Promise<number> {
  const code = `
    import { spawn } from "node:child_process";
    import { RehearsalPlace } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, "rehearsal-place.ts")).href)};
    const place = new RehearsalPlace();
    const npm = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], { detached: true, stdio: "ignore" });
    place.npm = npm.pid;
    console.log(npm.pid);
    setTimeout(() => {}, 60_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [words] = (await once(child.stdout, "data")) as [Buffer];
  child.kill("SIGKILL");
  await once(child, "exit");
  return Number(String(words));
}

test("two at once: the second says which process rehearses, and removes nothing of it", () => {
  const place = new RehearsalPlace();
  expect(() => new RehearsalPlace()).toThrow(`process ${process.pid} rehearses one in ${place.folder}`);
  expect([removeLeft(), leftLines(), existsSync(place.folder)]).toEqual([[], [], true]);
  place.remove();
  // Where setup has done nothing, nothing is left in the state directory.
  expect(readdirSync(state)).toEqual([]);
});

test("what a kill has left is named, and removed with the npm that still writes there", async () => {
  const npm = await killed();
  const folder = join(state, "integrity", "rehearsal");
  expect(leftLines()).toEqual([expect.stringContaining(folder)]);
  expect(removeLeft()).toEqual([expect.stringContaining(`removed ${folder}`)]);
  expect([leftLines(), readdirSync(join(state, "integrity"))]).toEqual([[], []]);
  // Only Linux tells when a process began, by which npm is known from another one with its id.
  if (process.platform === "linux") await vi.waitFor(() => expect(isAlive(npm)).toBe(false), 20_000);
});

test("an owner's id that another process has by now does not keep its folder for ever", () => {
  const folder = join(state, "integrity", "rehearsal");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "owner.json"), JSON.stringify({ owner: { pid: process.pid, birth: "1000" } }));
  expect(removeLeft()).toEqual(process.platform === "linux" ? [expect.stringContaining(folder)] : []);
});
