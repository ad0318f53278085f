/** Paths that are none, and messages that name a path as it was given. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeError } from "../../src/base/coded-error.ts";
import { openSqliteStore } from "../../src/continuity/index.ts";
import { openJournal } from "../../src/journal/index.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "refused-paths-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function refusal(open: () => unknown): { code: unknown; message: string } {
  try {
    open();
  } catch (error) {
    return { code: (error as { code?: unknown }).code, message: describeError(error) };
  }
  throw new Error("it was opened");
}

const OPENERS: [string, (file: unknown) => unknown][] = [
  ["a journal", (file) => openJournal(file as string).close()],
  ["a continuity store", (file) => openSqliteStore({ file: file as string })],
];

describe.each(OPENERS)("%s", (_what, open) => {
  it.each([
    ["the value of a variable that is not set", "", "an empty text"],
    ["blanks", "  ", "an empty text"],
    ["undefined", undefined, "a value of type undefined"],
    ["null", null, "null"],
    ["a number", 5, "a value of type number"],
    ["a NUL character", "a\0b", "a NUL character"],
  ])("is not opened in memory or elsewhere for %s", (_path, file, found) => {
    const { code, message } = refusal(() => open(file));
    expect(code).toBe("bad-input");
    expect(message).toContain(found);
  });

  it("says that a directory was found", () => {
    const { code, message } = refusal(() => open(folder));
    expect(code).toBe("not-writable");
    expect(message).toMatch(
      new RegExp(`at ${folder}; found a directory\\. Move the directory away, or pass the path of a file in it`),
    );
    expect(message).not.toContain("the right");
  });

  it("names a folder that cannot be made as it was given, and ends", () => {
    const { message } = refusal(() => open("/proc/none/x.sqlite"));
    expect(message).toContain("/proc/none/x.sqlite");
    expect(message).not.toContain("/fd/");
  });

  it.skipIf(process.geteuid?.() === 0)("names a file that cannot be made as it was given", () => {
    const closed = join(folder, "closed");
    mkdirSync(closed);
    chmodSync(closed, 0o500);
    const { message } = refusal(() => open(join(closed, "new.sqlite")));
    expect(message).toContain(join(closed, "new.sqlite"));
    expect(message).not.toContain("/fd/");
  });
});

describe("a message of the journal", () => {
  it("has no double colon and no double full stop", () => {
    const journal = openJournal(":memory:");
    const { message } = refusal(() => journal.cycles.pending([{} as never]));
    expect(message).toContain("the database in memory: ");
    expect(message).not.toMatch(/::|\.\./);
    journal.close();
  });
});

it("nothing was written beside the paths", () => {
  expect(readdirSync(folder).filter((name) => name !== "closed")).toEqual([]);
});
