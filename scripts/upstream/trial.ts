import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { shareTree } from "../../src/patching/write/copy-tree.ts";
import { editCompiled } from "./compiled-edit.ts";
import type { CompiledEdit } from "./proof-plan.ts";

/** A copy of an installed release with edits in it. */
export interface Trial {
  /** Folder that contains `node_modules/openclaw`. */
  readonly root: string;
  remove(): void;
}

/** Copies an installation (its bytes stay shared) into a new folder below `parent` and makes the edits there. */
export function makeTrial(stock: string, parent: string, edits: readonly CompiledEdit[]): Trial {
  if (!existsSync(join(stock, "node_modules", "openclaw"))) {
    throw new Error(`expected an installed OpenClaw in ${stock}; found none. Run "npm start" once, which installs it.`);
  }
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "trial-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const root = join(folder, "release");
    shareTree(stock, root);
    editCompiled(root, edits);
    return { root, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
