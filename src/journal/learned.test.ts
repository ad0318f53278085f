import { afterEach, beforeEach, expect, it } from "vitest";
import { join } from "node:path";
import { newFolder } from "../../harness/temporary.ts";
import { type Journal, openJournal } from "./index.ts";

let file: string;
let journal: Journal;
beforeEach(() => {
  file = join(newFolder(), "journal.sqlite");
  journal = openJournal(file);
});
afterEach(() => {
  journal.close();
});

it("the value that was learned last is the only one, and outlives the process", () => {
  journal.learned.put("route", "a", "most_pictures", { most: 100 }, 1);
  journal.learned.put("route", "a", "no_documents", true, 2);
  journal.learned.put("route", "a", "most_pictures", { most: 50 }, 3);
  journal.close();
  journal = openJournal(file);
  expect(journal.learned.read("route", "a")).toEqual([
    { what: "no_documents", value: true, learnedAt: 2 },
    { what: "most_pictures", value: { most: 50 }, learnedAt: 3 },
  ]);
});

it("a route and a session of one name are two things", () => {
  journal.learned.put("route", "a", "form", 1, 1);
  journal.learned.put("session", "a", "form", 2, 1);
  expect(journal.learned.forget("session", "a")).toBe(1);
  expect(journal.learned.list("route")).toEqual([{ name: "a", what: "form", value: 1, learnedAt: 1 }]);
  expect(journal.learned.list("session")).toEqual([]);
});

it("forget takes one thing, one name or all of a scope, and no more", () => {
  for (const name of ["a", "b"]) for (const what of ["x", "y"]) journal.learned.put("route", name, what, null, 1);
  journal.learned.put("session", "a", "x", null, 1);
  expect(journal.learned.forget("route", "a", "x")).toBe(1);
  expect(journal.learned.list("route").map(({ name, what }) => name + what)).toEqual(["ay", "bx", "by"]);
  expect(journal.learned.forget("route", "a")).toBe(1);
  expect(journal.learned.forget("route", "nobody")).toBe(0);
  expect(journal.learned.forget("route")).toBe(2);
  expect(journal.learned.list("session")).toHaveLength(1);
});

it("prune deletes what is older than a time", () => {
  journal.learned.put("route", "a", "x", 1, 999.7);
  journal.learned.put("session", "s", "y", undefined, 1000);
  expect(journal.learned.prune(1000)).toBe(1);
  expect(journal.learned.read("session", "s")).toEqual([{ what: "y", value: null, learnedAt: 1000 }]);
});
