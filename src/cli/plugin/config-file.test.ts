import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { ConfigDraft } from "./config-file.ts";

const message = (file: string): string => {
  try {
    new ConfigDraft(file).get(["plugins"]);
  } catch (error) {
    return (error as Error).message;
  }
  return "";
};

test("a config that cannot be read is refused with the cause, once, and not as a fault of its text", () => {
  const folder = newFolder();
  writeFileSync(join(folder, "file"), "");
  mkdirSync(join(folder, "folder"));
  expect(message(join(folder, "file", "openclaw.json"))).toBe(
    `expected to read OpenClaw's config ${folder}/file/openclaw.json; found a file where a folder should be (ENOTDIR). Check the path.`,
  );
  expect(message(join(folder, "folder"))).toContain("found a folder where a file should be (EISDIR)");
});

test("a text that is no JSON5 and an include that is missing are named once", () => {
  const file = join(newFolder(), "openclaw.json");
  writeFileSync(file, "{ plugins: ");
  expect(message(file)).toMatch(/^expected OpenClaw's config in \S+ to be JSON5; found (?!expected).*Correct it/);
  writeFileSync(file, '{ $include: "./gone.json" }');
  expect(message(file)).toMatch(/^expected the file \S+gone\.json, which OpenClaw's config includes; found none\. /);
});
