import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { editCompiled } from "./compiled-edit.ts";

const CHUNK = "function add(a, b) {\n\treturn a + b;\n}\nfunction twice(a) {\n\treturn a + a;\n}\n";
const EDIT = { package: "some-package", function: "add", find: "a + b", replace: "b + a" };

let root = "";
let chunk = "";
beforeEach(() => {
  root = newFolder();
  const dist = join(root, "node_modules", "some-package", "dist");
  mkdirSync(dist, { recursive: true });
  chunk = join(dist, "chunk-abc.mjs");
  writeFileSync(chunk, CHUNK);
});

test("edits the function it names and replaces the file, so that a copy that shares its bytes stays as it is", () => {
  const { ino } = statSync(chunk);
  editCompiled(root, [EDIT]);
  expect(readFileSync(chunk, "utf8")).toBe(CHUNK.replace("a + b", "b + a"));
  expect(statSync(chunk).ino).not.toBe(ino);
});

test("refuses a text that stands in the function twice, or not at all", () => {
  expect(() => editCompiled(root, [{ ...EDIT, find: "a" }])).toThrow(/found it \d+ times/);
  expect(() => editCompiled(root, [{ ...EDIT, find: "a - b" }])).toThrow("found it 0 times");
  expect(readFileSync(chunk, "utf8")).toBe(CHUNK);
});

test("does not look into other functions", () => {
  expect(() => editCompiled(root, [{ ...EDIT, find: "a + a" }])).toThrow("found it 0 times");
});

test("refuses a function that no chunk or more than one chunk declares", () => {
  expect(() => editCompiled(root, [{ ...EDIT, function: "subtract" }])).toThrow("found 0");
  writeFileSync(chunk.replace("abc", "def"), CHUNK);
  expect(() => editCompiled(root, [EDIT])).toThrow("found 2");
});

test("refuses an outcome that does not parse, and leaves the file as it is", () => {
  expect(() => editCompiled(root, [{ ...EDIT, replace: "a +" }])).toThrow("Unexpected token");
  expect(readFileSync(chunk, "utf8")).toBe(CHUNK);
});
