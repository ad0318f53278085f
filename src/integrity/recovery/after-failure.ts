import { failedAgain, mayBeOfHistory } from "../../recovery/failing.ts";
import { hasParts } from "../../recovery/search/refused-parts.ts";
import { hasAnswer } from "./after-refusal.ts";
import type { Attempt } from "./attempt.ts";
import type { Core } from "../base/core.ts";
import { knownParts } from "./parts.ts";
import { errorIn } from "./provider-error.ts";
import type { ErrorRecovery } from "../messages/results.ts";
import type { Session } from "../base/session.ts";

/**
 * Handles a failure that says nothing of its request, as a server error does. One that comes again for the same session
 * may be the history's doing: the last words alone show whether. Undefined where none of this is to be tried.
 */
export function afterFailure(
  core: Core,
  session: Session,
  error: unknown,
  attempt: Attempt,
): ErrorRecovery | undefined {
  const { rungs, route } = attempt;
  if (rungs.lastWords !== undefined) return undefined;
  const memory = core.memory(session);
  memory.failing = failedAgain(memory.failing, {
    error: errorIn(error),
    route,
    messages: session.messages,
    at: Date.now(),
  });
  if (!memory.failing || !core.config.autoRepair || !attempt.mayResend || !hasAnswer(session)) return undefined;
  const isSuspected = rungs.atFault !== undefined || hasParts(knownParts(core, session, route));
  if (!isSuspected && !mayBeOfHistory(memory.failing)) return undefined;
  rungs.lastWords = "alone";
  attempt.isServerError = true;
  attempt.try({ kind: "last_words" });
  return {
    action: "repaired",
    message: "The provider fails with this history again and again. What was said last is sent without it.",
    details: { problem: "unspecified", rung: "last_words" },
  };
}
