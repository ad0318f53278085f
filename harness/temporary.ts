/** Temporary folders of tests. Only tests and what they share import this file: it hooks into the tests' end. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const folders: string[] = [];

// Registered before the hooks of the test file itself, and so run after them.
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/**
 * A new folder outside of any project, readable by its owner only, with no symbolic link in its path. The folder is
 * removed when the tests of the file are over, with whatever is in it; where test files share a process, with the run.
 */
export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "for-a-test-")));
  folders.push(folder);
  return folder;
}
