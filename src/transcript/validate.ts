import { analyse } from "./analyse.ts";
import { looksHealthy } from "./look.ts";
import { assertList, assertSpelling, type Spelling } from "./options.ts";
import { asJson } from "./json/plain.ts";
import { noJson, type Violation } from "./violations.ts";

/** Options of {@link validate}. */
export interface ValidateOptions {
  /**
   * `openclaw` also reports calls and results in another spelling than OpenClaw's own, which an unpatched OpenClaw does
   * not read.
   */
  spelling?: Spelling;
}

/** Returns the violations of a history in the stored form, as the public function of this name does. */
export function validate(messages: readonly unknown[], { spelling = "keep" }: ValidateOptions = {}): Violation[] {
  assertList("validate", messages);
  assertSpelling("validate", spelling);
  try {
    return findViolations(messages, spelling);
  } catch (error) {
    // A message that is not JSON throws when it is read: it is judged by its copy.
    const { items, copied } = asJson(messages, error);
    return [...copied.map(noJson), ...findViolations(items, spelling)];
  }
}

function findViolations(messages: readonly unknown[], spelling: Spelling): Violation[] {
  return looksHealthy(messages, spelling) ? [] : analyse(messages, spelling).violations;
}
