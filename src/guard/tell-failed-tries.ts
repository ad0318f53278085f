import { OUT_OF_TRIES, withReason } from "../recovery/words.ts";
import { isObject } from "../transcript/json/json.ts";
import { isEnabled } from "./base/switch.ts";
import { answersPerson, type GuardContext, type GuardedSession } from "./openclaw/session.ts";
import { isBefore } from "../store/openclaw/release.ts";
import { shortReason } from "./recovery/endings.ts";
import { listListeners, tellPerson } from "./tell-person.ts";

/** What OpenClaw calls the gateway's own clients, in place of a channel. */
const GATEWAY_CLIENT = "webchat";
/** The silence was seen on 2026.2.3; from this release on none was seen to be silent. */
const TELLS_CLIENTS = 2026_02_26;

/**
 * Tells a client of the gateway that the provider has failed as often as OpenClaw asks it. Early releases tell channels
 * alone; a client sees the end of the turn without a word. Nothing is stored.
 */
export function tellFailedTries(session: GuardedSession, context: GuardContext): void {
  if (
    context.messageProvider !== GATEWAY_CLIENT ||
    !answersPerson(context) ||
    !isBefore(context.release, TELLS_CLIENTS)
  )
    return;
  session.subscribe?.((event) => {
    if (!isObject(event) || event.type !== "auto_retry_end" || event.success !== false || !isEnabled()) return;
    const { finalError } = event;
    // A person has stopped the turn in one of OpenClaw's pauses.
    if (typeof finalError !== "string" || finalError === "Retry cancelled") return;
    tellPerson(listListeners(session), withReason(OUT_OF_TRIES, shortReason(finalError)));
  });
}
