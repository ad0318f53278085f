import { existsSync } from "node:fs";
import { nodeSqlite } from "../base/node-sqlite.ts";
import { nameInline } from "../base/quoted.ts";
import type { Continuity } from "../continuity/index.ts";
import { isOpenClawsName } from "../continuity-tools/index.ts";
import { placeOf, type StoreOptions } from "./continuity-store.ts";

/**
 * What to tell whoever used the MCP server when it had no store of its own: which projects are in OpenClaw's store, and how to go on with them. Of a server
 * for one project only that one. Nothing where another store was named, or where it cannot be told. Only reads.
 */
export async function whatWasRecordedBefore({ store, file, schema, postgres, project }: StoreOptions, own: Continuity): Promise<string[]> {
  if (store !== undefined || file !== undefined || schema !== undefined || postgres !== undefined) return [];
  const former = placeOf({});
  if (!("file" in former)) return [];
  const here = new Set(await own.projects());
  const names = projectsIn(former.file).filter((name) => !isOpenClawsName(name) && !here.has(name) && (project === undefined || name === project));
  const [first] = names;
  if (first === undefined) return [];
  const which = names.length === 1 ? `the project ${nameInline(first)} has` : `${names.length} projects (${nameInline(first)}, for instance) have`;
  return [`${which} work in OpenClaw's own store ${former.file}, which this server no longer uses. To go on with it there: --store openclaw --project <name>.`];
}

function projectsIn(file: string): string[] {
  const sqlite = nodeSqlite();
  if (!sqlite || !existsSync(file)) return [];
  try {
    const database = new sqlite.DatabaseSync(file, { readOnly: true });
    try {
      return database.prepare("SELECT project_id FROM workflows ORDER BY created_at").all().map((row) => String(row["project_id"]));
    } finally {
      database.close();
    }
  } catch {
    // Of no matter to this server; the commands that are about that store say what is wrong with it.
    return [];
  }
}
