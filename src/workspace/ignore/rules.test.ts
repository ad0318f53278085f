/**
 * Rules that are judged otherwise than by git capture what a person told git to leave alone, or lose what is wanted.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IgnoreRules } from "./rules.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ignore-"));
  execFileSync("git", ["init", "-q"], { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The paths of files that git ignores by a .gitignore at the top. */
function byGit(text: string, paths: readonly string[]): string[] {
  writeFileSync(join(folder, ".gitignore"), text, "latin1");
  try {
    return execFileSync("git", ["check-ignore", "--no-index", "-z", "--stdin"], {
      cwd: folder,
      input: paths.join("\0"),
      encoding: "latin1",
      env: { ...process.env, HOME: folder, GIT_CONFIG_NOSYSTEM: "1" },
    })
      .split("\0")
      .filter((path) => path !== "");
  } catch {
    // Exit code 1: none.
    return [];
  }
}

/** The same by the rules: a folder that is ignored takes all that is in it along. */
function byRules(text: string, paths: readonly string[]): string[] {
  const rules = new IgnoreRules(text, 0);
  const work = { left: Infinity };
  return paths.filter((path) => {
    const names = path.split("/");
    return names.some((_, at) => rules.ignores(names.slice(0, at + 1), at < names.length - 1, work));
  });
}

const character = fc.constantFrom(
  "a",
  "b",
  "c",
  "*",
  "?",
  "/",
  "!",
  "[ab]",
  "[!a]",
  "[a-c]",
  "\\*",
  ".",
  "**",
  "-",
  " ",
);
const pattern = fc
  .array(character, { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(""))
  // Two stars beside other characters are one star, by git's documentation; git 2.39 takes "a**/**" for "a" too.
  .filter((text) => !text.includes("/") || !/[^/*]\*\*|\*\*[^/*]/.test(text));
const name = fc
  .array(fc.constantFrom("a", "b", "c", ".", "*", "-", "d"), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(""))
  .filter((text) => !/^\.+$/.test(text) && text !== ".git");
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));

describe("a .gitignore", () => {
  it("ignores what git ignores, whatever it says", () => {
    fc.assert(
      fc.property(
        fc.array(pattern, { maxLength: 6 }),
        fc.uniqueArray(path, { minLength: 1, maxLength: 30 }),
        (lines, paths) => {
          const text = `${lines.join("\n")}\n`;
          expect(byRules(text, paths)).toEqual(byGit(text, paths));
        },
      ),
      { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 150) },
    );
  });

  it.each([
    [
      "comments, blanks and ends of lines",
      "# a\n\\#b\n\\!c\na \nb\\ \r\nd\r\n",
      ["# a", "#b", "!c", "a", "a ", "b ", "d"],
    ],
    ["a folder's rule is none for a file", "logs/\n!logs/keep\n", ["logs", "logs/a", "logs/keep"]],
    ["an anchored rule holds at the top only", "/a\nb/c\n", ["a", "x/a", "b/c", "x/b/c"]],
    ["two stars", "**/a\nb/**\nc/**/d\n", ["a", "x/y/a", "b", "b/x", "c/d", "c/x/y/d", "x/c/d"]],
    ["names of sets", "[[:digit:]]\n[[:nothing:]]\n[]a]\n[a-\n", ["1", "a", "]", "[a-", "x"]],
    ["bytes that are no UTF-8", "\u00ff*\n", ["\u00ffa", "a\u00ff"]],
    ["a mark at its beginning", "\u00ef\u00bb\u00bfa\n", ["a", "b"]],
  ])("%s", (_, text, paths) => {
    expect(byRules(text, paths)).toEqual(byGit(text, paths));
  });

  it("of many stars costs no more than it may, and then ignores nothing", () => {
    const rules = new IgnoreRules(`${"*a".repeat(400)}b\n`.repeat(2000), 0);
    const work = { left: 1_000_000 };
    expect(rules.ignores(["a".repeat(255)], false, work)).toBe(false);
    expect(work.left).toBeGreaterThan(-300_000);
  });

  it("of a nested folder overrules the one above it", () => {
    const above = new IgnoreRules("*.log\n", 0);
    const rules = new IgnoreRules("!keep.log\n/a\n", 1, above);
    const ignores = (...names: string[]): boolean => rules.ignores(names, false, { left: Infinity });
    expect([ignores("in", "x.log"), ignores("in", "keep.log"), ignores("in", "a"), ignores("in", "b", "a")]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});
