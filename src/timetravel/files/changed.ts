import { type Owner, WorkspaceStore } from "../../workspace/index.ts";

/**
 * Returns the marks of the entries behind which the agent of this session has changed files, as far as they are kept;
 * see {@link markOfEntry}. Throws a JournalError when the records cannot be read.
 */
export function changedAt(stateDirectory: string, owner: Owner): ReadonlySet<string> {
  const stores = WorkspaceStore.all(stateDirectory).filter((store) => store.exists);
  return new Set(stores.flatMap((store) => store.read((records) => records.changedAt(owner))));
}
