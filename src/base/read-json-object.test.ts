import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readJsonObject } from "./read-json-object.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "read-json-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ["an object", '{"a":1}', { a: 1 }],
  ["a list", '[{"a":1}]', undefined],
  ["null", "null", undefined],
  ["a text", '"a"', undefined],
  ["half an object", '{"a":', undefined],
  ["no file", undefined, undefined],
])("reads objects alone: %s", (_what, text, value) => {
  const file = join(folder, "file.json");
  if (text !== undefined) writeFileSync(file, text);
  expect(readJsonObject(file)).toEqual(value);
});
