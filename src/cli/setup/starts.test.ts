import { expect, test } from "vitest";
import { byHandLines } from "./starts.ts";

test("NODE_OPTIONS names the file of an installed package, and none in a cache that npx empties", () => {
  expect(byHandLines("file:///usr/lib/node_modules/openclaw-integrity/dist/register/index.mjs").join("\n")).toContain(
    "export NODE_OPTIONS=--import=file:///usr/lib/node_modules/openclaw-integrity/dist/register/index.mjs",
  );
  const cached = "file:///home/me/.npm/_npx/0123/node_modules/openclaw-integrity/dist/register/index.mjs";
  expect(byHandLines(cached).join("\n")).not.toContain("--import");
  expect(byHandLines(cached).join("\n")).toContain("npm install --global openclaw-integrity");
});
