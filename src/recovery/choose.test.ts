import { describe, expect, it } from "vitest";
import { assistant, call, result, says, user } from "../../harness/messages.ts";
import { APIS, carelessBody } from "../../harness/arbitrary/bodies.ts";
import { imageKeysIn } from "./images.ts";
import { chooseTreatment, type HistoryFailure } from "./choose.ts";
import { treat } from "./treatment.ts";

const HISTORY = [
  user("read"),
  assistant(call("call_a"), call("call_b")),
  result("call_a"),
  result("call_b"),
  user("more"),
  assistant(call("call_c")),
  result("call_c"),
  user("thanks"),
];

const failure = (more: Partial<HistoryFailure>): HistoryFailure => ({
  kind: "history",
  problem: "tool_pairing",
  ids: [],
  ...more,
});

function historyOf(body: Record<string, unknown>): unknown[] {
  return (body["messages"] ?? body["input"] ?? body["contents"]) as unknown[];
}

describe.each(APIS)("the place that an error names in a body of %s", (api) => {
  const sent = historyOf(carelessBody(api, HISTORY));

  it("is found in the history by what stands there: that call is healed, with those of its message, and no other", () => {
    sent.forEach((item, message) => {
      const text = JSON.stringify(item);
      const treatment = chooseTreatment({ failure: failure({ message }), messages: HISTORY, sent });
      if (text.includes("call_c")) expect(treatment, text).toEqual({ kind: "calls_as_text", ids: ["call_c"] });
      if (text.includes("call_a") && !text.includes("call_c"))
        expect(treatment, text).toEqual({ kind: "calls_as_text", ids: ["call_a", "call_b"] });
    });
  });

  it("beyond the end of the history, as a wrapper counts it, is no place: all tool traffic is made careful", () => {
    expect(chooseTreatment({ failure: failure({ message: 999 }), messages: HISTORY, sent })).toEqual({
      kind: "one_call_each",
    });
  });
});

describe("an error without a place", () => {
  it("is healed by the id it names, also where OpenClaw keeps call and item as one", () => {
    const messages = JSON.parse(JSON.stringify(HISTORY).replaceAll("call_c", "call_c|fc_1")) as unknown[];
    expect(chooseTreatment({ failure: failure({ ids: ["call_c"] }), messages, sent: [] })).toEqual({
      kind: "calls_as_text",
      ids: ["call_c|fc_1"],
    });
  });

  it("is healed by its kind", () => {
    const thinking = [
      user("a"),
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "so", thinkingSignature: "bad" },
          { type: "text", text: "b" },
        ],
      },
      user("c"),
    ];
    expect(chooseTreatment({ failure: failure({ problem: "thinking" }), messages: thinking, sent: [] })).toEqual({
      kind: "without_thinking",
    });
    const data = "a".repeat(80);
    const image = [{ role: "user", content: [{ type: "image", data, mimeType: "image/png" }] }];
    const [key] = imageKeysIn(data);
    expect(chooseTreatment({ failure: failure({ problem: "image" }), messages: image, sent: [] })).toEqual({
      kind: "without_media",
      images: [key],
    });
    // What the model has answered to is not at fault, unless there are too many.
    const later = [...image, says("seen"), user("and now?")].map((message, at) => ({ ...message, timestamp: at }));
    const newer = [...later.slice(0, 2), { ...image[0], timestamp: 2 }];
    for (const [problem, messages, treatment] of [
      ["image", later, { kind: "without_media", until: 2 }],
      ["too_many_images", later, { kind: "without_media", until: 1 }],
      ["too_many_images", newer, { kind: "without_media", until: 1 }],
    ] as const)
      expect(chooseTreatment({ failure: failure({ problem }), messages, sent: [] })).toEqual(treatment);
    const neighbours = [user("a"), user("b")];
    expect(chooseTreatment({ failure: failure({ problem: "role_order" }), messages: neighbours, sent: [] })).toEqual({
      kind: "strict_roles",
    });
    expect(treat(neighbours, { kind: "strict_roles" })).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ]);
  });

  it("of a history that nothing would change is not answered with the same request", () => {
    expect(chooseTreatment({ failure: failure({}), messages: [user("a")], sent: [] })).toBeUndefined();
  });
});
