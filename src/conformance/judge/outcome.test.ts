import { expect, it } from "vitest";
import {
  INTERRUPTED_CALL,
  MISSING_RESULT_TEXT,
  NOT_STARTED_CALL,
  UNKNOWN_OUTCOME,
} from "../../transcript/json/text.ts";
import { readTold, type Told } from "./outcome.ts";

/** What agents say of calls that they have no result of. */
const SAID: Readonly<Record<Told, readonly string[]>> = {
  uncertain: [
    INTERRUPTED_CALL,
    UNKNOWN_OUTCOME,
    "The tool call was interrupted. It may or may not have been executed.",
    "Error: connection lost, it is not known whether the payment failed.",
    "Status unconfirmed.",
    "The call could have completed.",
  ],
  not_done: [
    NOT_STARTED_CALL,
    MISSING_RESULT_TEXT,
    "Tool call pay with id c1 was cancelled - another message came in before it could be completed.",
    "aborted",
    "Tool execution failed: the process was restarted.",
    "The tool was never executed.",
    "The call did not run.",
    "Error: process terminated",
    "Interrupted before execution.",
    "Request timed out",
  ],
  done: ["Done.", "success", "Successfully executed.", "The invoice was paid.", "OK"],
  nothing: ["", "No result provided.", "[interrupted]", "null", "…"],
};

it.each(Object.entries(SAID).flatMap(([told, texts]) => texts.map((text) => [text, told] as const)))(
  "%j tells a model: %s, or agents fail by the words that they choose",
  (text, told) => expect(readTold(text)).toBe(told),
);
