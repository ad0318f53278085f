import { forgetSessions, snapshotsSize, WorkspaceStore } from "../../workspace/index.ts";
import { RECORDS_SCHEMA } from "../../workspace/records/schema.ts";
import { eraseRows } from "./erase-rows.ts";
import type { Holder, Holding, Subject } from "./holder.ts";
import type { NamedSession } from "./named-session.ts";

/** Snapshots of the files that sessions changed, as a holder. */
export function workspaceFiles(stateDirectory: string): Holder {
  return {
    find: (subject) =>
      listStores(stateDirectory).flatMap((store): Holding[] => {
        const sessions = store.read((records) => records.sessions());
        const subjectSessions = sessions.filter((session) => isAbout(session, subject));
        const [count, all] = [subjectSessions, sessions].map((some) =>
          some.reduce((sum, one) => sum + one.count, 0),
        ) as [number, number];
        if (count === 0) return [];
        // Versions of files are shared by sessions.
        const bytes = Math.round((snapshotsSize(store) * count) / Math.max(1, all));
        return [{ kind: "workspace_files", place: store.folder, count, bytes, hasWords: true }];
      }),
    async erase(subject) {
      const left: string[] = [];
      for (const store of listStores(stateDirectory)) {
        const ids = store
          .read((records) => records.sessions())
          .flatMap((session) => (isAbout(session, subject) ? [session.sessionId] : []));
        // Without a session: what an earlier run that was killed had not finished.
        if (ids.length > 0 || store.isForgetting)
          left.push(...(await forgetSessions(store, new Set(ids), () => eraseSteps(store, ids))));
      }
      return left;
    },
  };
}

function eraseSteps({ recordsFile }: WorkspaceStore, sessionIds: readonly string[]): string[] {
  return eraseRows(
    recordsFile,
    RECORDS_SCHEMA,
    (connection) => {
      for (const table of ["steps", "moves"])
        connection
          .prepare(`DELETE FROM ${table} WHERE session_id IN (SELECT value FROM json_each(?))`)
          .run(JSON.stringify(sessionIds));
    },
    { rewrite: true },
  );
}

/** Lists the sessions of which files are kept. */
export function workspaceNames(stateDirectory: string): NamedSession[] {
  return listStores(stateDirectory).flatMap((store) =>
    store
      .read((records) => records.sessions())
      .map(({ sessionId, sessionKey }) => ({
        sessionId,
        ...(sessionKey !== undefined && { sessionKey }),
        hasWords: true,
      })),
  );
}

function listStores(stateDirectory: string): WorkspaceStore[] {
  return WorkspaceStore.all(stateDirectory).filter(({ exists }) => exists);
}

function isAbout(
  { sessionId, sessionKey }: { readonly sessionId: string; readonly sessionKey: string | undefined },
  subject: Subject,
): boolean {
  return subject.sessionIds.has(sessionId) || (sessionKey !== undefined && subject.sessionKeys.has(sessionKey));
}
