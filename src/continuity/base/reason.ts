import { valueInline } from "../../base/quoted.ts";
import { continuityError } from "./errors.ts";
import { assertStorable } from "./json.ts";

const LONGEST_REASON = 1000;

/** Throws `bad-input` for a reason that is no text of 1 to 1,000 characters. */
export function assertReason(reason: string): void {
  if (typeof reason !== "string" || reason.trim() === "" || reason.length > LONGEST_REASON)
    throw continuityError("bad-input", {
      expected: `a reason of 1 to ${LONGEST_REASON} characters`,
      found: valueInline(reason),
      todo: "Nothing was written.",
    });
  assertStorable(reason, "the reason");
}
