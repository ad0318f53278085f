import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { loadCorpus } from "../../../harness/corpus/case.ts";
import { PATCH_POINTS } from "./index.ts";

describe("patch points", () => {
  it("each name a case of the corpus, or a test, that shows what they are for", () => {
    const cases = new Set(loadCorpus().map(({ id }) => id));
    const isThere = (test: string): boolean => existsSync(new URL(`../../../${test}`, import.meta.url));
    expect(
      PATCH_POINTS.filter(({ proof }) => !cases.has(proof) && !isThere(proof)).map(
        ({ id, proof }) => `${id}: ${proof}`,
      ),
    ).toEqual([]);
  });

  it("have names of their own", () => {
    expect(new Set(PATCH_POINTS.map(({ id }) => id)).size).toBe(PATCH_POINTS.length);
  });
});
