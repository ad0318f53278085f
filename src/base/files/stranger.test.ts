import { chownSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NOBODY } from "../../../harness/nobody.ts";
import { newFolder } from "../../../harness/temporary.ts";
import { strangerAt, TRUSTED_FOLDERS } from "./index.ts";

// Only root can give a folder to another user.
describe.runIf(process.getuid?.() === 0)("a path through another user's folder", () => {
  let theirs: string;
  let trusted: string;
  beforeEach(() => {
    theirs = join(realpathSync(newFolder()), "theirs");
    trusted = join(theirs, "trusted");
    mkdirSync(trusted, { recursive: true });
    writeFileSync(join(trusted, "file"), "");
    chownSync(theirs, NOBODY, NOBODY);
  });
  afterEach(() => vi.unstubAllEnvs());

  it("is that user's, whether or not its end is reached, where the folder is not trusted", () => {
    for (const name of ["file", "missing", "file/below"])
      expect(strangerAt(join(trusted, name))).toMatchObject({ path: theirs });
  });

  it("is nobody's in a trusted folder, and not where nothing was found at its end", () => {
    vi.stubEnv(TRUSTED_FOLDERS, trusted);
    expect(strangerAt(join(trusted, "file"))).toBeUndefined();
    expect(() => strangerAt(join(trusted, "missing"))).toThrow("ENOENT");
    expect(() => strangerAt(join(trusted, "file", "below"))).toThrow("ENOTDIR");
    symlinkSync("circle", join(trusted, "circle"));
    expect(() => strangerAt(join(trusted, "circle"))).toThrow("links that lead to each other");
  });
});
