import type { ProviderError } from "../../recovery/failure.ts";
import { measureMessages, sumSizes, type Size } from "../../recovery/size/measure.ts";
import { readExcess } from "../../recovery/size/read-excess.ts";
import { fitted, tokensAbove } from "../../recovery/size/smaller.ts";
import { toRoute } from "../routes/routes.ts";
import { declaredWindow, measuredOn, measureRefused, saidLimit } from "../routes/window.ts";
import type { ModelCall } from "./port.ts";
import type { Run } from "./run.ts";

/** Returns the size of a request of a call, with system prompt and tools. */
export function requestSize(call: ModelCall, messages: readonly unknown[]): Size {
  return sumSizes([measureMessages(messages), call.overhead()]);
}

/**
 * Decides what is sent after a refusal for size. Returns the call's messages, shortened to what the route takes;
 * undefined where the run has no request left, OpenClaw's own compaction goes first, or nothing fits. Learns the size
 * that the refusal names in any case; where it returns messages, it also records the rung in the incident, remembers
 * the size for the session and counts the request as spent. `sent`: the refused messages; `tries`: how many
 * such refusals the call has had, this one included.
 */
export function shortenRefused(
  run: Run,
  call: ModelCall,
  sent: readonly unknown[],
  error: ProviderError,
  tries: number,
): unknown[] | undefined {
  const route = toRoute(call.model);
  const excess = readExcess(error);
  const size = requestSize(call, sent);
  measureRefused(route, call.model, size.characters, excess);
  if (!run.tries.mayResend || !run.mayFit(sent, excess)) return undefined;
  const known = { tokens: saidLimit(route), charactersPerToken: measuredOn(route) };
  const overhead = call.overhead();
  const before = run.fitted(route, call.model)?.budget;
  const next = fitted(before, { sent, whole: call.unfitted, size, overhead, excess, known, tries });
  if (!next) return undefined;
  run.incident.refused({ kind: "history", problem: "size", ids: [] }, error.text);
  run.incident.rung("fitted");
  run.fits({
    route: route.name,
    budget: next.budget,
    tokens: tokensAbove(size, excess, known),
    declared: declaredWindow(call.model),
  });
  run.tries.extra++;
  return next.messages;
}
