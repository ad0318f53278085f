/** What is no list of messages passed for a sound history. */
import { describe, expect, test } from "vitest";
import { check, heal, prepare } from "../wire/index.ts";
import { repair, validate, validateToolResultPairing } from "./index.ts";

const NO_LISTS = [5, {}, null, undefined, "text", { length: 0 }, () => []];

describe.each<[string, (messages: never) => unknown]>([
  ["validate", validate],
  ["repair", repair],
  ["validateToolResultPairing", validateToolResultPairing],
  ["prepare", (messages: never) => prepare("anthropic-messages", messages)],
])("%s", (name, work) => {
  test.each(NO_LISTS)("refuses %o and says what it expects", (given) => {
    expect(() => work(given as never)).toThrow(TypeError);
    expect(() => work(given as never)).toThrow(`${name}() expects a list of messages, found `);
  });
});

test.each([5, null, undefined, {}, "anthropic", "not-known-here", "toString"])(
  "an API of the name %o is refused instead of passing for one that is not known",
  (api) => {
    const body = { messages: [{ role: "assistant", content: "" }] };
    expect(() => check(api as never, body)).toThrow(
      /^check\(\) expects one of OpenClaw's names of an API \(anthropic-messages, openai-completions, /,
    );
    expect(() => heal(api as never, body)).toThrow(
      /^heal\(\) expects one of OpenClaw's names of an API \(anthropic-messages, openai-completions, /,
    );
    expect(() => prepare(api as never, [])).toThrow(
      /^prepare\(\) expects one of OpenClaw's names of an API \(anthropic-messages, openai-completions, /,
    );
  },
);
