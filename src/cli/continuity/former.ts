import { nameInline } from "../../base/quoted.ts";
import type { Continuity } from "../../continuity/index.ts";
import { projectNamesInFile, projectNamesInSchema } from "../../continuity/sql/project-names.ts";
import { isOpenClawsName } from "../../continuity-tools/index.ts";
import { placeOf, type StoreOptions } from "./store.ts";

/**
 * What to tell whoever used the MCP server when it had no store of its own: which projects are in OpenClaw's store, and
 * how to go on with them. Of a server for one project only that one. Nothing where another store was named, or where it
 * cannot be told. Only reads.
 */
export async function whatWasRecordedBefore(
  { store, file, schema, postgres, project }: StoreOptions,
  own: Continuity,
): Promise<string[]> {
  if (store !== undefined || file !== undefined || schema !== undefined) return [];
  const former = placeOf({ ...(postgres !== undefined && { postgres }) });
  const there =
    "file" in former ? projectNamesInFile(former.file) : await projectNamesInSchema(former.postgres, former.schema);
  const here = new Set(await own.projects());
  const names = there.filter(
    (name) => !isOpenClawsName(name) && !here.has(name) && (project === undefined || name === project),
  );
  const [first] = names;
  if (first === undefined) return [];
  const which =
    names.length === 1
      ? `the project ${nameInline(first)} has`
      : `${names.length} projects (${nameInline(first)}, for instance) have`;
  const where = "file" in former ? former.file : `schema ${former.schema}`;
  return [
    `${which} work in OpenClaw's own store (${where}), which this server no longer uses by itself. To go on with it ` +
      "there: --store openclaw --project <name>.",
  ];
}
