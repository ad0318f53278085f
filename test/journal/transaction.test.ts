import { expect, it } from "vitest";
import { openJournal } from "../../src/journal/index.ts";

it("a transaction refuses work that goes on after it returned, and keeps nothing of it", async () => {
  const journal = openJournal(":memory:");
  const later = async (): Promise<void> => {
    journal.incidents.log({ kind: "x", details: {} });
    await Promise.resolve();
    throw new Error("too late to roll back");
  };
  // @ts-expect-error: the type refuses a promise too.
  expect(() => journal.transaction(later)).toThrow(expect.objectContaining({ code: "bad-input" }));
  expect(journal.incidents.list()).toEqual([]);
  expect(journal.transaction(() => journal.incidents.log({ kind: "y", details: {} }))).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 10));
  journal.close();
});
