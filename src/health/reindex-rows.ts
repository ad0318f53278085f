import type { Catalog, SessionSummary } from "../store/catalog/summary.ts";
import { storeError } from "../store/errors.ts";
import { loadOpenClawSessions } from "../store/openclaw/openclaw-sessions.ts";
import { targetOf } from "../store/sessions/row-store.ts";
import { whenIndexed } from "../store/openclaw/when-indexed.ts";
import { examine, type Examination } from "./examine.ts";

/**
 * Has OpenClaw's own code bring its index of a session up to date, which nothing of OpenClaw's does where no gateway
 * runs (2026.9.6). No row of the conversation is touched, so that it need not be idle. Rejects with StoreErrors:
 * `session-missing`, `openclaw-unfit`, and `openclaw-failed` when the index is out of date all the same. Issue 8, item
 * 6.
 */
export async function reindexRows(
  catalog: Catalog,
  session: SessionSummary,
  { root, stateDirectory }: { readonly root: string; readonly stateDirectory: string },
): Promise<Examination> {
  const openclaw = await loadOpenClawSessions(root, stateDirectory);
  const target = targetOf(openclaw, stateDirectory, session.sessionId, session.agentId);
  if (target === undefined)
    throw storeError("session-missing", {
      expected: `the session ${session.sessionId} in OpenClaw's store`,
      found: "none",
      todo: "It was deleted meanwhile. Nothing was changed.",
    });
  await whenIndexed(openclaw, target);
  const after = examine(catalog.read(session), session);
  if (after.index === undefined) return after;
  throw storeError("openclaw-failed", {
    expected: `OpenClaw to bring its index of session ${session.sessionId} up to date`,
    found: "that it is still out of date",
    todo: "Nothing of the conversation was changed. Run it again when no gateway writes into the session; a gateway does it too, with the next message.",
  });
}
