import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { rollBack } from "./node-sqlite.ts";

/** A connection as Node before 22.16 has it. */
function withoutIsTransaction(database: DatabaseSync): DatabaseSync {
  return { exec: (text: string) => database.exec(text) } as DatabaseSync;
}

it.each([
  ["of this Node", (database: DatabaseSync) => database],
  ["that does not tell whether a transaction is open", withoutIsTransaction],
])("a connection %s ends an open transaction, and takes none for an error", (_, as) => {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE t (n); BEGIN; INSERT INTO t VALUES (1)");
  rollBack(as(database));
  rollBack(as(database));
  expect(database.prepare("SELECT n FROM t").all()).toEqual([]);
  // Without the rollback, every later transaction would be refused.
  database.exec("BEGIN; COMMIT");
  database.close();
});
