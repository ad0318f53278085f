import { nameInline } from "../../base/quoted.ts";
import type { Continuity } from "../../continuity/index.ts";
import { projectNamesInFile, projectNamesInSchema } from "../../continuity/sql/project-names.ts";
import { isOpenClawsName } from "../../continuity-tools/index.ts";
import { placeOf, type StoreOptions } from "./base/store.ts";

/**
 * Returns a hint for users of the MCP server from the time when it had no store of its own: which projects are in
 * OpenClaw's store, and how to continue them. With a project named, only that project is mentioned. Empty where another
 * store was named or the projects cannot be read. Only reads.
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
    `${which} work in OpenClaw's own store (${where}), which this server no longer uses by default. To continue it ` +
      "there: --store openclaw --project <name>.",
  ];
}
