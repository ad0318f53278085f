import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { extract } from "tar";
import { packInto } from "../package/install.ts";

/** Puts what npm would publish of the built library beside the frameworks, where their programs import it by its name. */
export async function installLibrary(folder: string): Promise<void> {
  const target = join(folder, "node_modules", "openclaw-integrity");
  const packed = join(folder, "packed");
  for (const one of [target, packed]) rmSync(one, { recursive: true, force: true });
  mkdirSync(target);
  await extract({ file: packInto(packed), cwd: target, strip: 1 });
}
