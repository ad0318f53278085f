/** The HTML page that a command writes where the user says. */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { InvalidArgumentError } from "commander";
import { shellWord } from "../base/commands/shell-word.ts";
import { putFile } from "../store/archives/durable-file.ts";
import { storeError } from "../store/errors.ts";

/** Checks the name of the page's file, so that a typing error cannot replace a transcript. */
export function pageFile(name: string): string {
  if (/\.html?$/i.test(name)) return name;
  throw new InvalidArgumentError("The page's name has to end in .html.");
}

/** Throws unless the folder of the page is there: it is not made, because a typing error would make it. */
export function assertPageFolder(page: string): void {
  const folder = dirname(page);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  throw storeError("not-writable", {
    expected: `a folder ${folder} for the page`,
    found: found === undefined ? "no such folder" : "a file",
    todo: `Make it (mkdir -p ${shellWord(folder)}), or name another place with --html.`,
  });
}

/**
 * Replaces the page in one step, for its owner only: it contains ids, names and perhaps recorded text. The user chose
 * the folder. Throws `not-writable` or `unsafe-path`.
 */
export function putPage(page: string, text: string): void {
  putFile(page, text, 0o600, { shared: "allow" });
}
