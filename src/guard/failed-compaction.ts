import { UNSUMMARISED } from "../recovery/words.ts";
import { isObject } from "../transcript/json/json.ts";
import { isEnabled } from "./base/switch.ts";
import { answersPerson, type GuardContext, type GuardedSession } from "./openclaw/session.ts";
import { listListeners, tellPerson } from "./tell-person.ts";

/**
 * From now on tells the person of a session when a turn has ended because the conversation is too large and no summary
 * of it was made. Early releases end the turn with the answer before, as if it were the answer to this message. Nothing
 * is stored.
 */
export function tellFailedCompaction(session: GuardedSession, context: GuardContext): void {
  if (!answersPerson(context)) return;
  let isDue = false;
  session.subscribe?.((event) => {
    if (!isObject(event)) return;
    // A compaction for another reason comes behind the answer.
    if (event.type === "auto_compaction_start") isDue = event.reason === "overflow";
    if (event.type !== "auto_compaction_end" || !isDue) return;
    isDue = false;
    if (isEnabled() && event.willRetry === false && event.aborted === false && event.result === undefined)
      tellPerson(listListeners(session), UNSUMMARISED);
  });
}
