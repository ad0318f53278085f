import type { Core } from "../base/core.ts";
import { repair } from "./repair.ts";
import type { Session } from "../base/session.ts";

/**
 * Repairs violations and completes interrupted cycles, when `autoRepair` allows it; returns whether anything was
 * changed.
 */
export async function mend(core: Core, session: Session): Promise<boolean> {
  if (!core.config.autoRepair) return false;
  return (await repair(core, session)).repaired;
}
