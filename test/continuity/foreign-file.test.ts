import { createHash } from "node:crypto";
import { chmodSync, lchownSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { openSqliteStore } from "../../src/continuity/index.ts";
import { openJournal } from "../../src/journal/index.ts";

describe("a file that is not ours", () => {
  const cases: Record<string, (file: string) => void> = {
    "another program's database": (file) => {
      const database = new DatabaseSync(file);
      database.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')");
      database.close();
    },
    "another program's database without tables": (file) => {
      const database = new DatabaseSync(file);
      database.exec("PRAGMA application_id = 77; PRAGMA user_version = 1");
      database.close();
    },
    "a text": (file) => writeFileSync(file, "not a database at all, but a note of the user's\n".repeat(100)),
  };
  for (const [name, make] of Object.entries(cases)) {
    it(`is refused and not changed: ${name}`, () => {
      const folder = newFolder();
      const file = join(folder, "theirs");
      make(file);
      const digest = (): string => createHash("sha256").update(readFileSync(file)).digest("hex");
      const before = digest();
      expect(() => openSqliteStore({ file })).toThrow(expect.objectContaining({ code: "foreign" }));
      expect([digest(), readdirSync(folder)]).toEqual([before, ["theirs"]]);
    });
  }
});

// SQLite follows every link: another user's would have root write where that user cannot.
it.runIf(process.getuid?.() === 0)("a store is not begun behind a link of another user", () => {
  const folder = newFolder();
  const [victim, file] = [join(folder, "victim"), join(folder, "continuity.sqlite")];
  writeFileSync(victim, "");
  symlinkSync(victim, file);
  lchownSync(file, 65534, 65534);
  expect(() => openSqliteStore({ file })).toThrow(/no symbolic link that another user could have put there/);
  expect(readFileSync(victim, "utf8")).toBe("");
});

it("a file that is refused keeps its mode, and a store gets a private one", async () => {
  const folder = newFolder();
  const [theirs, ours] = [join(folder, "theirs"), join(folder, "ours")];
  writeFileSync(theirs, "not a database at all\n".repeat(100), { mode: 0o644 });
  expect(() => openSqliteStore({ file: theirs })).toThrow(expect.objectContaining({ code: "foreign" }));
  expect(() => openJournal(theirs)).toThrow(expect.objectContaining({ code: "damaged" }));
  await openSqliteStore({ file: ours }).close();
  chmodSync(ours, 0o644);
  await openSqliteStore({ file: ours }).close();
  expect([theirs, ours].map((file) => statSync(file).mode & 0o777)).toEqual([0o644, 0o600]);
});
