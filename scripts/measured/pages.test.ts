/** A page whose figures no commit stands behind, or that nobody can tell to be older than its code. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeMaking } from "./making.ts";
import { listCommits, MEASURED } from "./pages.ts";

const ROOT = new URL("../../", import.meta.url);

test("each page of results/ has its code, and each code is there", () => {
  const pages = readdirSync(new URL("results/", ROOT)).filter((name) => name.endsWith(".md"));
  expect(pages.toSorted()).toEqual(Object.keys(MEASURED).toSorted());
  expect([...new Set(Object.values(MEASURED).flat())].filter((folder) => !existsSync(new URL(folder, ROOT)))).toEqual(
    [],
  );
});

test("each page is one that the pages for readers refer to", () => {
  const pages = readdirSync(new URL("docs/", ROOT)).filter((name) => name.endsWith(".md"));
  const texts = ["README.md", "CONTRIBUTING.md", ...pages.map((name) => `docs/${name}`)].map((page) =>
    readFileSync(new URL(page, ROOT), "utf8"),
  );
  const isCited = (page: string): boolean => texts.some((text) => text.includes(`results/${page})`));
  expect(Object.keys(MEASURED).filter((page) => !isCited(page))).toEqual([]);
});

test.each(Object.keys(MEASURED))("%s says at which commit it was measured", (page) => {
  expect(listCommits(readFileSync(new URL(`results/${page}`, ROOT), "utf8"))).not.toEqual([]);
});

test("what a new page says of its making is found in it", () => {
  const making = describeMaking("npm run trial fuzz", "seed 1");
  expect(making).toMatch(/^\d{4}-\d\d-\d\d, `npm run trial fuzz`, seed 1, at .+, Node v\d+\.\d+\.\d+, \d+ × .+\.$/);
  expect(listCommits(making.replace(/at .+, Node/, "at 2b910e4a changed, Node"))).toEqual(["2b910e4a"]);
});
