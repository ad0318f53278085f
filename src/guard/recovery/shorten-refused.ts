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
 * Returns the messages of the request that follows one that is too large, as far as its route takes them; undefined
 * where the run has no request left, OpenClaw's own compaction goes first, or nothing fits. `tries` counts such
 * refusals of the call, from 1.
 */
export function smaller(
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
