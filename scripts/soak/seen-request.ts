import type { SeenRequest } from "./model.ts";

/** A request of a conversation as tests want it: with these messages, and accepted. */
export function seenRequest(messages: readonly string[], more: Partial<SeenRequest> = {}): SeenRequest {
  return {
    conversation: "c1",
    at: 0,
    messages: new Set(messages),
    pictures: new Set(),
    results: new Set(),
    toldWrongly: [],
    summary: false,
    weak: false,
    withheld: 0,
    record: { status: 200, violations: [], api: "anthropic-messages" },
    ...more,
  };
}
