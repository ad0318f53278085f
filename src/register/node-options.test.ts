import { expect, test } from "vitest";
import { hookIn, isGone, withHook } from "./node-options.ts";

const URL = "file:///opt/node_modules/openclaw-integrity/dist/register/index.mjs";

test.each([
  [undefined, undefined],
  ["", undefined],
  ["--max-old-space-size=4096", undefined],
  ["--import=file:///other/register.mjs", undefined],
  ["--import openclaw-integrity/register", "openclaw-integrity/register"],
  [`--no-warnings --import=${URL} --trace-uncaught`, URL],
  [`--import "${URL}"`, URL],
  [String.raw`--title="a \" --import=${URL}"`, undefined],
  ["--import", undefined],
])("finds the hook in NODE_OPTIONS=%s", (value, hook) => {
  expect(hookIn(value)).toBe(hook);
});

test("keeps the user's options, and adds the hook once", () => {
  expect(withHook(undefined, URL)).toBe(`--import=${URL}`);
  const both = withHook('--title="a b" --max-old-space-size=4096', URL);
  expect(both).toBe(`--title="a b" --max-old-space-size=4096 --import=${URL}`);
  expect(withHook(both, URL)).toBe(both);
});

test("knows that a hook's file is gone, because Node would not start", () => {
  expect(isGone(URL)).toBe(true);
  expect(isGone(import.meta.url)).toBe(false);
  expect(isGone("openclaw-integrity/register")).toBe(false);
});
