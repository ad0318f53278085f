import { resolve } from "node:path";
import { describeError } from "../../base/coded-error.ts";
import { isThere } from "../../base/is-there.ts";
import { eachProject, LONGEST_SENTENCE, listWorkNeeds } from "../../continuity-report/index.ts";
import { continuitySchema, STORE_NAMES } from "../../continuity-tools/index.ts";
import { type StoreSelection, storeWords } from "../../continuity-tools/store-words.ts";
import { ContinuityError } from "../../continuity/index.ts";
import { WORK_NEEDS, type WorkNeed } from "../../doctor/index.ts";
import { printable } from "../../doctor/printable.ts";
import { configuredStore, configuredWork } from "../continuity/base/plugin-config.ts";
import { selectPlace, withContinuity } from "../continuity/base/store.ts";

/**
 * Returns what needs a person in the recorded work of a state directory, the most urgent first: in the stores of
 * OpenClaw's agents and of the MCP server, and in the one that the plugin's configuration names. Where there is no
 * store, nothing. Only reads. Never rejects.
 */
export async function workNeeds(stateDirectory: string): Promise<WorkNeed[]> {
  const needs: WorkNeed[] = [];
  for (const store of listStores(stateDirectory)) {
    const at = selectPlace(store);
    const place = "file" in at ? at.file : `schema ${at.schema}`;
    try {
      if ("file" in at && !isThere(at.file)) continue;
      await withContinuity(
        store,
        (opened) =>
          eachProject(opened, Date.now(), (one) => {
            const found = listWorkNeeds("code" in one ? one : one.status, storeWords(store));
            needs.push(...found.map((need) => ({ ...need, place })));
          }),
        { readOnly: true },
      );
    } catch (error) {
      if (error instanceof ContinuityError && error.code === "not-found") continue;
      needs.push({
        needs: "unread",
        place,
        sentence: printable(`Recorded work cannot be read: ${describeError(error)}`, LONGEST_SENTENCE),
      });
    }
  }
  return needs.toSorted((a, b) => WORK_NEEDS.indexOf(a.needs) - WORK_NEEDS.indexOf(b.needs));
}

/** The stores, as the command line selects them, each once. */
function listStores(stateDirectory: string): StoreSelection[] {
  const usual: StoreSelection[] = STORE_NAMES.map((store) => (store === "openclaw" ? {} : { store }));
  try {
    const { file, postgres, anchor } = configuredStore(stateDirectory);
    // A server that is configured for work that is switched off may be gone.
    if (postgres !== undefined)
      return configuredWork()["enabled"] === true
        ? [...usual, { postgres, anchor }, { postgres, schema: continuitySchema("mcp") }]
        : usual;
    const isUsual = usual.some(
      (store) => file === undefined || file === resolve((selectPlace(store) as { file: string }).file),
    );
    return isUsual ? usual : [...usual, { file }];
  } catch {
    // OpenClaw itself tells what is wrong with its configuration.
    return usual;
  }
}
