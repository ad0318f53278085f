import { expect, test } from "vitest";
import { UNSUMMARISED } from "../recovery/words.ts";
import { tellFailedCompaction } from "./failed-compaction.ts";
import type { GuardContext } from "./openclaw/session.ts";

const PERSON: GuardContext = {
  messageProvider: "telegram",
  blockReplyBreak: "text_end",
  sessionKey: "agent:main:main",
};
const START = { type: "auto_compaction_start", reason: "overflow" };
const FAILED = {
  type: "auto_compaction_end",
  result: undefined,
  aborted: false,
  willRetry: false,
  errorMessage: "500",
};

/** The texts that are told while these events come. */
function told(events: readonly object[], context = PERSON): string[] {
  const texts: string[] = [];
  const listeners: ((event: unknown) => unknown)[] = [];
  const session = {
    agent: {},
    subscribe: (one: (event: unknown) => unknown) => listeners.push(one),
    _eventListeners: listeners,
  };
  tellFailedCompaction(session, context);
  listeners.push((event) => {
    const { type, message } = event as { type: string; message?: { content: { text: string }[] } };
    if (type === "message_end") texts.push(message!.content[0]!.text);
  });
  for (const event of events) for (const listener of listeners) listener(event);
  return texts;
}

test("a turn that ends because no summary was made of a conversation that is too large is told as such", () => {
  expect(told([START, FAILED])).toEqual([UNSUMMARISED]);
});

test.each([
  ["a summary was made", [START, { ...FAILED, result: {}, willRetry: true }]],
  ["a person has stopped it", [START, { ...FAILED, aborted: true }]],
  ["the answer has been given before", [{ ...START, reason: "threshold" }, FAILED]],
])("nothing is told where %s", (_name, events) => {
  expect(told(events)).toEqual([]);
});

test("nothing is told in a group", () => {
  expect(told([START, FAILED], { ...PERSON, groupId: "g1" })).toEqual([]);
});
