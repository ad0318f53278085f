import { setAsideDatabases, damagedHoldings, removeDamaged } from "../../privacy/index.ts";
import { confirmed, type PurgeRun } from "./options.ts";
import { holdingLines } from "./text.ts";
import type { Outcome } from "../run.ts";

/** `openclaw-integrity purge --damaged` */
export async function purgeDamaged(run: PurgeRun): Promise<Outcome> {
  const {
    options: { dryRun = false },
    place: { stateDirectory },
  } = run;
  const files = setAsideDatabases(stateDirectory);
  const found = damagedHoldings(files);
  if (files.length === 0)
    return { data: { action: "nothing", found }, lines: [`no damaged database was set aside in ${stateDirectory}`] };
  const lines = (verb: string): string[] => [`${verb}, in ${stateDirectory}:`, ...holdingLines(found, stateDirectory)];
  if (dryRun)
    return { data: { action: "would-purge", found }, lines: [...lines("would be deleted"), "nothing was deleted"] };
  await confirmed(run, lines("to be deleted"));
  removeDamaged(files);
  return { data: { action: "purged", found }, lines: lines("deleted") };
}
