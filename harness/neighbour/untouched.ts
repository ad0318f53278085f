/** Whether a program left a tree alone: the tree may hold what another user planted, so no link in it is followed. */
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { sha256 } from "../../src/patching/base/hash.ts";

/** Kind, mode, owner and content of each file, folder, link and special file, by its path below the tree's root. */
export type TreeRecord = ReadonlyMap<string, string>;

/** Records a tree, its root included as `.`; what lies at or below the paths of `except` is left out. */
export function recordTree(root: string, except: readonly string[] = []): TreeRecord {
  const record = new Map<string, string>();
  const todo = ["."];
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    const path = join(root, at);
    if (except.includes(path)) continue;
    const stat = lstatSync(path);
    record.set(at, `mode ${stat.mode.toString(8)}, owner ${stat.uid}:${stat.gid}, ${contentAt(path, stat)}`);
    if (stat.isDirectory()) for (const name of readdirSync(path)) todo.push(join(at, name));
  }
  return record;
}

function contentAt(path: string, stat: Stats): string {
  if (stat.isFile()) return `sha256 ${sha256(readFileSync(path))}`;
  return stat.isSymbolicLink() ? `link to ${readlinkSync(path)}` : "no content";
}

/** Expects a tree to be as {@link recordTree} recorded it: nothing new, gone, changed or given to another owner. */
export function expectUntouched(root: string, before: TreeRecord, except: readonly string[] = []): void {
  expect(Object.fromEntries(recordTree(root, except))).toEqual(Object.fromEntries(before));
}
