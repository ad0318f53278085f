/** An update that replaces OpenClaw's folder while the patch is applied. */
import { cpSync, renameSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { apply, status } from "../../src/patching/apply.ts";
import { project, rename, STUB_GUARD, hashTree } from "./fixture.ts";

const options = { guard: STUB_GUARD };

/** An update to another release, as package managers make one: another folder is renamed into the place. */
async function updated(): Promise<{ readonly root: string; readonly update: () => void; readonly after: object }> {
  const { root } = await project("2026.9.6");
  const next = `${root}-next`;
  cpSync(root, next, { recursive: true });
  rename(next, "2026.9.7");
  const update = (): void => {
    renameSync(root, `${root}-old`);
    renameSync(next, root);
    rmSync(`${root}-old`, { recursive: true });
  };
  return { root, update, after: hashTree(next) };
}

test("an update between the reading and the first change: the new release keeps its own files", async () => {
  const { root, update, after } = await updated();
  const given = {
    ...options,
    // Read behind the plan.
    get followLinks(): boolean {
      update();
      return false;
    },
  };
  expect(() => apply(root, given)).toThrow(expect.objectContaining({ code: "busy" }));
  expect(hashTree(root)).toEqual(after);
});

test("an update at any step of the swap: the new release keeps its own files", async () => {
  for (let at = 0; ; at += 1) {
    const { root, update, after } = await updated();
    let step = 0;
    const onStep = (): void => {
      if (step++ === at) update();
    };
    let isRefused = false;
    try {
      apply(root, { ...options, onStep });
    } catch (error) {
      expect(error).toMatchObject({ code: "not-writable" });
      isRefused = true;
    }
    if (step <= at) break;
    expect(hashTree(root)).toEqual(after);
    // Behind the last step the folder as a whole is another one.
    expect(isRefused || status(root, options).state === "stock").toBe(true);
  }
});
