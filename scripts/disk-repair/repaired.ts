import { repairStored } from "../../src/health/index.ts";
import { findSummary, openCatalog, StoreError } from "../../src/store/index.ts";

/**
 * Repairs a session in the store of a running OpenClaw; false when a scan finds nothing to repair, or OpenClaw itself
 * cannot open it.
 */
export async function repairIn(stateDirectory: string, sessionId: string, root: string): Promise<boolean> {
  const catalog = openCatalog(stateDirectory);
  try {
    const { action } = await repairStored(catalog, findSummary(catalog, sessionId), {
      stateDirectory,
      root: () => root,
    });
    return action === "repaired";
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    console.error(error.message);
    return false;
  } finally {
    catalog.close();
  }
}
