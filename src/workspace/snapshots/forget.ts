import { closeRecords } from "../records/kept-open.ts";
import type { WorkspaceStore } from "./store.ts";
import { tidy } from "./tidy.ts";

/**
 * Deletes every version of a file that no session needs any more, after the records of sessions were deleted by `erase`.
 * The present files stay captured as long as another session needs the store; the last session takes all of it. Rejects
 * with what git and the records throw; repeating it finishes it.
 */
export async function forgetSessions<Value>(store: WorkspaceStore, erase: () => Value): Promise<Value> {
  closeRecords(store.folder);
  const erased = erase();
  const isEmpty = store.read((records) => records.sessions().length === 0);
  if (isEmpty) await store.remove();
  else await store.use((open) => tidy(open, { force: true }));
  return erased;
}
