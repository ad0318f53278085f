import { listViolations } from "../../../src/providers/index.ts";
import type { Front, FrontAnswer, FrontRequest } from "../../../src/providers/index.ts";
import { seenIn, type HiddenRule } from "./rules.ts";
import { refusalIn, type Wording } from "./wording.ts";

/** What stands before a strict provider's answers: one random provider after the other. */
export interface RandomFront {
  readonly front: Front;
  /** Puts a provider in force, for one model or for all. */
  enforce(rule: HiddenRule, wording: Wording, model?: string): void;
  /** Takes everything from now on. */
  relax(): void;
}

/** A front that takes everything until a rule is put in force. */
export function randomFront(): RandomFront {
  let inForce: { rule: HiddenRule; wording: Wording; model: string | undefined; nth: number } | undefined;
  return {
    enforce: (rule, wording, model) => (inForce = { rule, wording, model, nth: 0 }),
    relax: () => (inForce = undefined),
    front: (request) => {
      if (!inForce || (inForce.model !== undefined && inForce.model !== request.model)) return undefined;
      // What breaks a rule of the API is refused for that.
      if (listViolations(request.api, request.body, { model: request.model }).length > 0) return undefined;
      return refuse(inForce.rule, inForce.wording, request, inForce.nth++);
    },
  };
}

function refuse(
  rule: HiddenRule,
  wording: Wording,
  { api, body, raw }: FrontRequest,
  nth: number,
): FrontAnswer | undefined {
  const seen = seenIn(api, body, raw, nth);
  const breach = rule.breach(seen);
  if (breach === undefined) return undefined;
  const messages = 1 + seen.parts.reduce((most, { message }) => Math.max(most, message), 0);
  return refusalIn(wording, api, { breach, messages });
}
