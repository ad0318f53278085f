import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { openSqliteStore } from "../../src/continuity/index.ts";

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
