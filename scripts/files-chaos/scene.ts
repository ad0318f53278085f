import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** What stands in the workspace, by path: content, links, and which files are executable. */
export type Files = Readonly<Record<string, string>>;

/** Files before the agent works: each kind of change below has one. */
export function setUp(workspace: string): void {
  mkdirSync(workspace, { recursive: true });
  for (const name of readdirSync(workspace)) rmSync(join(workspace, name), { recursive: true, force: true });
  const write = (path: string, content: string | Uint8Array): void => writeFileSync(join(workspace, path), content);
  mkdirSync(join(workspace, "notes"));
  write("notes/edited.txt", "one\ntwo\n");
  write("deleted.txt", "still needed\n");
  write("old-name.txt", "the same\n");
  write("tool.sh", "#!/bin/sh\n");
  write("photo.bin", Buffer.from([0, 1, 2, 255]));
  write("becomes-folder", "a file\n");
  symlinkSync("notes/edited.txt", join(workspace, "link"));
  chmodSync(join(workspace, "tool.sh"), 0o644);
}

/** What the agent does, by a command. */
export const COMMAND = [
  "printf 'one\\n2\\n' > notes/edited.txt",
  "rm deleted.txt",
  "mv old-name.txt new-name.txt",
  "chmod +x tool.sh",
  "printf '\\000\\011' > photo.bin",
  "rm becomes-folder && mkdir becomes-folder && echo inside > becomes-folder/inside",
  "mkdir -p deep/er && echo created > deep/er/created.txt",
  "ln -sf /nowhere link",
].join("; ");

/** Reads the workspace, with what a killed move has staged there. */
export function filesIn(workspace: string): Files {
  const found: Record<string, string> = {};
  const walk = (prefix: string): void => {
    for (const entry of readdirSync(join(workspace, prefix), { withFileTypes: true })) {
      const path = prefix + entry.name;
      const at = join(workspace, path);
      if (entry.isDirectory()) walk(`${path}/`);
      else if (entry.isSymbolicLink()) found[path] = `-> ${readlinkSync(at)}`;
      else found[path] = `${lstatSync(at).mode & 0o100 ? "executable " : ""}${readFileSync(at).toString("latin1")}`;
    }
  };
  walk("");
  return found;
}

/** Paths that differ. */
export function listDifferences(one: Files, other: Files): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((path) => one[path] !== other[path]);
}
