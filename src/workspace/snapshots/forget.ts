import type { WorkspaceStore } from "./store.ts";
import { tidy } from "./tidy.ts";

/**
 * Deletes what is kept of these sessions' files, and every version of a file that no other session needs. The present
 * files stay captured as long as another session needs the store; the last session takes all of it. Rejects with what
 * git and the records throw; repeating it finishes it.
 */
export async function forgetSessions(store: WorkspaceStore, sessionIds: readonly string[]): Promise<void> {
  const isEmpty = await store.withRecords((records) => {
    records.forget(sessionIds);
    return records.sessions().length === 0;
  });
  if (isEmpty) await store.remove();
  else await store.use((open) => tidy(open, { force: true }));
}
