import type { Core } from "../base/core.ts";
import { repair } from "./repair.ts";
import type { Session } from "../base/session.ts";

/** Repairs what is corrupt by the rules we know, and completes interrupted cycles; false when nothing was. */
export async function mend(core: Core, session: Session): Promise<boolean> {
  if (!core.config.autoRepair) return false;
  return (await repair(core, session)).repaired;
}
