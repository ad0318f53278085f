import { isSystemPrompt } from "../../recovery/forms/one-message.ts";
import { tailText } from "../../recovery/forms/tail.ts";
import { BEGUN_ANEW_OPENING } from "../../recovery/words.ts";
import type { Core } from "../base/core.ts";
import { recover } from "../repair/recover.ts";
import type { ResetOptions, ResetResult } from "../messages/results.ts";
import type { Session } from "../base/session.ts";

/** Archives and resets the session. See SessionIntegrity.reset. */
export async function reset(
  core: Core,
  session: Session,
  { archive = true, tail = true }: ResetOptions = {},
): Promise<ResetResult> {
  // The archive must contain the results of interrupted tools.
  await core.degrade("Recovery after a crash", [], () => recover(core, session));
  // When the archive fails, nothing has been changed.
  const kept = archive ? await session.archive() : undefined;
  if (kept !== undefined) core.emit("l0:session:archived", () => ({ sessionId: session.id }));
  const words = tail
    ? tailText(
        session.messages.filter((message) => !isSystemPrompt(message)),
        { opening: BEGUN_ANEW_OPENING },
      )
    : undefined;
  const remaining = [
    ...session.messages.filter(isSystemPrompt),
    ...(words === undefined ? [] : [tailMessage(session, words)]),
  ];
  await session.clear(remaining);
  await core.attempt("The deletion of the checkpoints", () => core.journal.checkpoints.clear(session.id));
  core.emit("l0:session:reset", () => ({ sessionId: session.id, isArchived: archive }));
  return {
    success: true,
    archived: archive,
    ...(kept !== undefined && { archive: kept }),
    remainingMessages: remaining.length,
  };
}

function tailMessage({ format }: Session, text: string): object {
  return { role: "user", content: [{ type: "text", text }], ...(format === "openclaw" && { timestamp: Date.now() }) };
}
