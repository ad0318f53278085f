import type { Catalog, SessionSummary } from "../store/catalog/summary.ts";
import { storeError } from "../store/errors.ts";
import { loadOpenClawSessions } from "../store/openclaw/openclaw-sessions.ts";
import { findSessionTarget } from "../store/sessions/row-store.ts";
import { whenIndexed } from "../store/openclaw/when-indexed.ts";
import { examine, type Examination } from "./examine.ts";

/**
 * Lets OpenClaw's own code update its index of a session. Without a gateway, OpenClaw 2026.9.6 never does so itself.
 * Changes no row of the conversation, so the session need not be idle. Returns the examination after the update.
 * Rejects with StoreErrors: `session-missing`, `openclaw-unfit`, and `openclaw-failed` when the index is still out of
 * date.
 */
export async function reindexRows(
  catalog: Catalog,
  session: SessionSummary,
  { root, stateDirectory }: { readonly root: string; readonly stateDirectory: string },
): Promise<Examination> {
  const openclaw = await loadOpenClawSessions(root, stateDirectory);
  const target = findSessionTarget(openclaw, stateDirectory, session.sessionId, session.agentId);
  if (target === undefined)
    throw storeError("session-missing", {
      expected: `the session ${session.sessionId} in OpenClaw's store`,
      found: "none",
      todo: "The session was deleted meanwhile. Nothing was changed.",
    });
  await whenIndexed(openclaw, target);
  const after = examine(catalog.read(session), session);
  if (after.index === undefined) return after;
  throw storeError("openclaw-failed", {
    expected: `OpenClaw to bring its index of session ${session.sessionId} up to date`,
    found: "an index that is still out of date",
    todo:
      "No message was changed. Run the command again when no gateway writes into the session; a gateway also " +
      "updates the index, with the next message.",
  });
}
