import { expect, test } from "vitest";
import { buildManifest } from "./manifest.ts";

const facts = (sha256: string): { sha256: string; size: number } => ({ sha256, size: 3 });
const published = new Map([
  ["LICENSE", facts("l")],
  ["dist/a.js", facts("a")],
]);
const made = new Map([
  ["LICENSE", facts("l")],
  ["dist/a.js", facts("b")],
  ["guard.mjs", facts("g")],
]);
const head = {
  name: "openclaw",
  release: "2026.9.6",
  number: 1,
  patchSet: "1",
  upstream: { package: "openclaw@2026.9.6", integrity: "sha512-x" },
  points: {},
} as const;
const causes = new Map([
  ["dist/a.js", { purpose: "patch points", points: ["attempt-history-gate"] }],
  ["guard.mjs", { purpose: "the guard", points: [] }],
]);

test("changed and added files are listed, the others are not", () => {
  expect(buildManifest(head, published, made, causes).files).toEqual([
    {
      file: "dist/a.js",
      change: "changed",
      purpose: "patch points",
      points: ["attempt-history-gate"],
      sha256: { before: "a", after: "b" },
      size: 3,
    },
    {
      file: "guard.mjs",
      change: "added",
      purpose: "the guard",
      points: [],
      sha256: { before: null, after: "g" },
      size: 3,
    },
  ]);
});

test("a change that nobody accounts for cannot be shipped", () => {
  expect(() => buildManifest(head, published, new Map([...made, ["LICENSE", facts("other")]]), causes)).toThrow(
    /found changed for no known cause: LICENSE/,
  );
});

test("a patch that did not arrive, or a file that was lost, cannot be shipped", () => {
  expect(() => buildManifest(head, published, new Map([...made, ["dist/a.js", facts("a")]]), causes)).toThrow(
    /found unchanged: dist\/a\.js/,
  );
  expect(() => buildManifest(head, new Map([...published, ["README.md", facts("r")]]), made, causes)).toThrow(
    /found missing: README\.md/,
  );
});
