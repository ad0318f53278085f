/** Finds the stores of recorded work that a purge covers. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describeError } from "../../base/coded-error.ts";
import { continuityFile, continuitySchema, STORE_NAMES } from "../../continuity-tools/index.ts";
import { conversationProject } from "../../continuity-tools/project-name.ts";
import type { TablesPlace } from "../../continuity/removal.ts";
import type { WorkPlace } from "../../privacy/index.ts";
import { configuredStore } from "../continuity/base/plugin-config.ts";
import { objectStorage } from "../continuity/base/store.ts";

/** A store in addition to the known ones. */
export interface WorkOptions {
  readonly file?: string;
  readonly postgres?: string;
  readonly schema?: string;
  /** The file in which the ends of the ledgers of that schema are noted. */
  readonly anchor?: string;
  readonly force?: boolean;
}

/**
 * Returns the stores of recorded work, each once: the default stores of OpenClaw's agents and of the MCP server, the
 * one that the plugin's configuration names, and the one that the options name.
 */
export function workPlaces(
  stateDirectory: string,
  { file, postgres, schema, anchor, force = false }: WorkOptions,
): { readonly places: readonly WorkPlace[]; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const configured = configuredPlace(stateDirectory, warnings);
  const named: TablesPlace[] = [
    ...STORE_NAMES.map((store) => ({ file: continuityFile(stateDirectory, store) })),
    ...configured,
    ...(file === undefined ? [] : [{ file: resolve(file) }]),
    ...(postgres === undefined ? [] : listSchemas(postgres, schema, anchor && resolve(anchor))),
  ];
  const objects = objectStorage(process.env);
  const places = [...new Map(named.map((tables) => [JSON.stringify(tables), tables])).values()].filter(
    (tables) => tables.file === undefined || existsSync(tables.file),
  );
  // A project shared by the conversations of an agent has the agent's name, and is deleted only by that name.
  return {
    places: places.map((tables) => ({
      tables,
      objects,
      force,
      toProject: (key) => conversationProject(key, "session"),
    })),
    warnings,
  };
}

/** Returns both schemas of a server, or the named one. The anchor is that of the named one, or else of OpenClaw's. */
function listSchemas(connectionString: string, schema?: string, anchor?: string): TablesPlace[] {
  const schemas = schema === undefined ? STORE_NAMES.map(continuitySchema) : [schema];
  return schemas.map((name) => {
    const isNoted = anchor !== undefined && name === (schema ?? continuitySchema("openclaw"));
    return { connectionString, schema: name, ...(isNoted ? { anchor: { file: anchor } } : {}) };
  });
}

function configuredPlace(stateDirectory: string, warnings: string[]): TablesPlace[] {
  try {
    const { postgres, file, anchor } = configuredStore(stateDirectory);
    if (postgres !== undefined) return listSchemas(postgres, undefined, anchor);
    return file === undefined ? [] : [{ file }];
  } catch (error) {
    warnings.push(`the store that the plugin's configuration names could not be read: ${describeError(error)}`);
    return [];
  }
}
