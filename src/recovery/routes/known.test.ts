import { afterEach, beforeEach, expect, it } from "vitest";
import { type Journal, openJournal } from "../../journal/index.ts";
import { FORGOTTEN_AFTER_MS, loadFacts, storeFacts } from "./known.ts";

let journal: Journal;
beforeEach(() => {
  journal = openJournal(":memory:");
});
afterEach(() => {
  journal.close();
});

it("a fact counts for its route until it is a week old, and is then gone", () => {
  const { learned } = journal;
  storeFacts(learned, "a", [{ what: "most_pictures", most: 5, learnedAt: 1000 }], "k");
  expect(loadFacts(learned, "b", "k", 1000)).toEqual([]);
  expect(loadFacts(learned, "a", "k", 999 + FORGOTTEN_AFTER_MS)).toEqual([
    { what: "most_pictures", most: 5, learnedAt: 1000 },
  ]);
  expect(loadFacts(learned, "a", "k", 1000 + FORGOTTEN_AFTER_MS)).toEqual([]);
  expect(learned.list("route")).toEqual([]);
});

it("facts of routes that nobody asks any more are deleted when another one is learned", () => {
  const { learned } = journal;
  learned.put("session", "s", "form", {}, 1);
  storeFacts(learned, "a", [{ what: "no_pictures", learnedAt: 1 }], "k");
  storeFacts(learned, "b", [{ what: "no_pictures", learnedAt: 1 + FORGOTTEN_AFTER_MS }], "k");
  expect(learned.list("route").map(({ name }) => name)).toEqual(["b"]);
  expect(learned.list("session")).toHaveLength(1);
});

it("a fact is gone when the model declares other abilities than when it was learned", () => {
  const { learned } = journal;
  storeFacts(learned, "a", [{ what: "no_pictures", learnedAt: 1 }], "text");
  expect(loadFacts(learned, "a", "text and image", 2)).toEqual([]);
  expect(loadFacts(learned, "a", "text", 3)).toEqual([]);
});

it("what a later version has learned is left in the journal, and not used", () => {
  const { learned } = journal;
  learned.put("route", "a", "no_haiku", { abilities: "k" }, 1);
  expect(loadFacts(learned, "a", "k", 2)).toEqual([]);
  expect(learned.list("route")).toHaveLength(1);
});
