import { realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, parse, sep } from "node:path";
import { workspaceError } from "../errors.ts";
import { hasFolderHandles } from "../handles/folder-handle.ts";

/**
 * Returns the real path of a workspace. Throws `unfit` for a home folder, a root or a folder above the state
 * directory's own snapshots: a move there could change anything that the person owns. So does it where the system
 * cannot work below an open folder: somebody who changes the workspace meanwhile could lead a capture or a move out of
 * it.
 */
export function fitWorkspace(workspace: string, stateDirectory: string, home = homedir()): string {
  if (!hasFolderHandles())
    throw workspaceError("unfit", {
      expected: "Linux with /proc, where folders are worked in by their handles",
      found: process.platform === "linux" ? "no /proc" : process.platform,
      todo: "Files are not captured on this system, and moves go on without files.",
    });
  const found = real(workspace);
  if (found === undefined || !statSync(found).isDirectory()) throw unfit(`no folder at ${workspace}`);
  if (found === parse(found).root) throw unfit("the root of the file system");
  const homes = [real(home), real(process.env.HOME ?? home)].filter((path) => path !== undefined);
  if (homes.some((path) => path === found || isWithin(path, found))) throw unfit("a home folder, or a folder of homes");
  const state = real(stateDirectory) ?? stateDirectory;
  if (state === found || isWithin(state, found)) throw unfit("a folder that holds OpenClaw's own state");
  if (dirname(found) === parse(found).root && ["home", "root", "Users", "etc", "usr", "var"].includes(found.slice(1)))
    throw unfit("a folder of the system");
  return found;
}

function unfit(found: string): Error {
  return workspaceError("unfit", {
    expected: "a workspace folder of its own",
    found,
    todo: "Its files are not captured, and moves go on without files.",
  });
}

/** Whether `path` is below `folder`. */
function isWithin(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
