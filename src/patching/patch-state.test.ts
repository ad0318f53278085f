import { linkSync, mkdirSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { GUARD_FILE, WAITING_GUARD } from "./base/guard-file.ts";
import { markLine } from "./base/marks.ts";
import { patchState } from "./patch-state.ts";
import { remember } from "./write/record.ts";

let root = "";
let env: NodeJS.ProcessEnv = {};
beforeEach(() => {
  const folder = newFolder();
  root = join(folder, "openclaw");
  env = { HOME: folder };
  mkdirSync(join(root, "dist"), { recursive: true });
  writeFileSync(join(root, "package.json"), '{"name": "openclaw", "version": "2026.9.6"}');
  writeFileSync(join(root, "dist", "chunk.mjs"), `run();\n${markLine("attempt-history-gate", "guard();")}\n`);
});

const state = (): string => patchState(root, [root], env).fate;
const putGuard = (text: string): void => writeFileSync(join(root, GUARD_FILE), text);

test("patched means that our file is there and that something calls it", () => {
  expect(state()).toBe("never");
  putGuard("export const guard = () => undefined;\n");
  expect(patchState(root, [root], env)).toEqual({
    root,
    release: "2026.9.6",
    fate: "patched",
    sentence: "OpenClaw 2026.9.6 is patched by openclaw-integrity.",
    since: expect.any(Number),
  });
  writeFileSync(join(root, "dist", "chunk.mjs"), "run();\n");
  expect(state()).toBe("never");
});

test("a file that gets another link is as old as before: a gateway that links its files at its start was not patched later", async () => {
  putGuard("export const guard = () => undefined;\n");
  const { since } = patchState(root, [root], env);
  await sleep(20);
  linkSync(join(root, GUARD_FILE), join(root, "mirror.mjs"));
  expect(statSync(join(root, GUARD_FILE)).ctimeMs).toBeGreaterThan(since!);
  expect(patchState(root, [root], env).since).toBe(since);
  // One that takes its place is new, whatever time of change it brings.
  const other = join(root, "other.mjs");
  writeFileSync(other, "export const guard = () => undefined;\n");
  utimesSync(other, 1, 1);
  renameSync(other, join(root, GUARD_FILE));
  expect(patchState(root, [root], env).since).toBeGreaterThan(since!);
});

test("an interrupted swap is not called patched", () => {
  putGuard(WAITING_GUARD);
  expect(patchState(root, [root], env)).toMatchObject({
    fate: "half-patched",
    sentence: expect.stringMatching(/the patch is off\.$/),
    todo: "Run: npx openclaw-integrity apply",
  });
});

test("what took the patch away is taken from the record", () => {
  const entry = { root, patchSet: "1", appliedAt: "2026-11-22T10:00:00.000Z", ways: ["npm"], places: [root] };
  remember({ ...entry, release: "2026.9.5" }, env);
  expect(patchState(root, [root], env)).toMatchObject({
    fate: "updated",
    sentence: expect.stringMatching(/^OpenClaw was updated from 2026\.9\.5 to 2026\.9\.6 /),
  });
  remember({ ...entry, release: "2026.9.6" }, env);
  expect(state()).toBe("reinstalled");
});

test("a folder that is not there is told about, not thrown about", () => {
  expect(patchState(join(root, "nowhere"), [], env)).toMatchObject({ release: "unknown", fate: "never" });
});
