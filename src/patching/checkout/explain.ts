import { guardText, describeMismatch } from "../plan.ts";
import { explainPoint, type Explanation } from "../explain.ts";
import { PatchError } from "../base/errors.ts";
import { knownRelease } from "../base/releases.ts";
import { refusedIn } from "../locate/verdict.ts";
import { planSurveyed, surveyCheckout } from "./plan.ts";

/**
 * Explains what the patch does to the sources in `root`, or why they are refused. Reads only. Throws what reading them
 * throws: `openclaw-missing`, `openclaw-foreign`, `outcome-invalid` for a file that is not UTF-8, `openclaw-modified`
 * for a torn statement of ours; and `guard-missing`. Every refusal of the plan is part of the result.
 */
export function explainCheckout(root: string): Explanation {
  const guard = guardText();
  const survey = surveyCheckout(root);
  const { checkout, verdicts } = survey;
  const base = {
    root,
    release: checkout.release,
    known: knownRelease(checkout.release) !== undefined,
    points: verdicts.map(explainPoint),
    leftAlone: [],
  };
  try {
    planSurveyed(survey, guard);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const refused = refusedIn(verdicts);
    const parts = refused && describeMismatch(refused, checkout.release);
    return {
      ...base,
      outcome: "refused",
      reason: parts ? `expected ${parts.expected}; found ${parts.found}` : error.message,
      todo: "Nothing was changed. Adapt the sources at the places below, or the patch point.",
    };
  }
  const hasOurLines = checkout.sources.some(({ own }) => own.length > 0);
  return { ...base, outcome: hasOurLines ? "patched" : "fits" };
}
