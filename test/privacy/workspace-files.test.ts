import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { WorkspaceStore } from "../../src/workspace/index.ts";
import { runPurge } from "./run-purge.ts";
import { fillSession } from "./state.ts";

/** All contents and file names of a store, in clear. */
function stored(folder: string): string {
  const git = (...args: string[]): string =>
    execFileSync("git", ["--git-dir", join(folder, "store.git"), ...args], { encoding: "latin1" });
  return git("cat-file", "--batch-all-objects", "--batch");
}

it("versions of files are listed, and go with the session that made them; another session's stay; the last one takes the store, also when the workspace is gone", async () => {
  const stateDir = join(newFolder(), "state");
  const [gone, other] = [await fillSession(stateDir, "gone"), await fillSession(stateDir, "other")];
  const [store] = WorkspaceStore.all(stateDir);
  const folder = store!.folder;
  expect(stored(folder)).toContain("gone-file-quokka");
  const listed = await runPurge(stateDir, gone.id, "--dry-run", "--json");
  expect(listed.data).toMatchObject({
    found: expect.arrayContaining([
      expect.objectContaining({ kind: "workspace_files", place: folder, count: 1, hasWords: true }),
    ]) as unknown,
  });
  expect(await runPurge(stateDir, gone.id, "--yes", "--json")).toMatchObject({ status: 0 });
  expect(stored(folder)).not.toMatch(/gone-(?:file|path)-quokka/);
  expect(stored(folder)).toContain("other-file-quokka");
  rmSync(store!.workspace, { recursive: true });
  expect(await runPurge(stateDir, other.id, "--yes", "--json")).toMatchObject({ status: 0 });
  expect(existsSync(folder)).toBe(false);
});
