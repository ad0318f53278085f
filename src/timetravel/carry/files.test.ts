/** What an agent reads of the files after a move: one sentence of it must not contradict the next. */
import { expect, it } from "vitest";
import { filesSections } from "./files.ts";

const NONE = { workspace: "/w", restored: [], removed: [], merged: [], conflicts: [] };

it("does not say that all files are as they were where some were not brought back", () => {
  const sections = filesSections({ ...NONE, conflicts: [{ path: "a.txt", why: "changed since" }] });
  expect(sections).toHaveLength(2);
  expect(sections[0]).toMatch(/^\[All other files of the workspace are as they were/);
  expect(sections[1]).toMatch(/NOT brought back/);
});

it("says that the files are as they were where nothing had to be done, and nothing of a move that keeps them", () => {
  expect(filesSections(NONE)).toEqual([expect.stringMatching(/^\[The files of the workspace are as they were/)]);
  expect(filesSections(undefined)).toEqual([]);
});
