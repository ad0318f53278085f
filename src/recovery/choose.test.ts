import { describe, expect, it } from "vitest";
import { assistant, call, result, says, user } from "../../harness/messages.ts";
import { APIS, carelessBody } from "../../harness/arbitrary/bodies.ts";
import { imageKeysIn } from "./forms/images.ts";
import { chooseTreatment, type HistoryFailure } from "./choose.ts";
import { ofRoute } from "./routes/shape.ts";
import { treat } from "./forms/treatment.ts";

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

function readHistory(body: Record<string, unknown>): unknown[] {
  return (body["messages"] ?? body["input"] ?? body["contents"]) as unknown[];
}

describe.each(APIS)("the place that an error names in a body of %s", (api) => {
  const sent = readHistory(carelessBody(api, HISTORY));

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
    // A body that has none was refused: the same is not sent once more.
    const stripped = [{ role: "assistant", content: [{ type: "tool_use", id: "call_a", name: "read", input: {} }] }];
    expect(
      chooseTreatment({ failure: failure({ problem: "thinking" }), messages: thinking, sent: stripped })?.kind,
    ).not.toBe("without_thinking");
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
      ["too_many_images", later, { kind: "without_media", until: 2 }],
      ["too_many_images", newer, ofRoute([{ what: "most_pictures", most: 1 }])],
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

  it("is healed by the one picture at the place that is named, in a tool's result of Anthropic's form", () => {
    const picture = (data: string) => ({ type: "image", source: { type: "base64", media_type: "image/png", data } });
    const shown = (data: string) => ({ type: "tool_result", tool_use_id: "a", content: [picture(data)] });
    const messages = ["a", "b"].map((letter) => ({ role: "user", content: [shown(letter.repeat(80))] }));
    const images = [...imageKeysIn("b".repeat(80))];
    const refusal = failure({ problem: "image", message: 1, block: 0 });
    expect(chooseTreatment({ failure: refusal, messages, sent: messages })).toEqual({ kind: "without_media", images });
  });

  it("on the size of a picture takes it as too large, and not only those above a limit that it does not break", () => {
    const png = (side: number, more = 0): string => {
      const bytes = Buffer.alloc(60 + more);
      bytes.write("89504e470d0a1a0a", 0, "hex");
      bytes.writeUInt32BE(side, 16);
      return bytes.toString("base64");
    };
    const picture = (data: string) => ({ role: "user", content: [{ type: "image", data, mimeType: "image/png" }] });
    const messages = [picture(png(1500)), says("seen"), picture(png(1800, 30))];
    const sides = { what: "longest_side_of_many", pixels: 2000, above: 20 } as const;
    const chosen = (more: Partial<HistoryFailure>) =>
      chooseTreatment({ failure: failure({ problem: "image", isTooLarge: true, ...more }), messages, sent: messages });
    expect(chosen({ teaches: [sides] })).toMatchObject({ kind: "without_media" });
    expect(chosen({ message: 2 })).toEqual(ofRoute([{ what: "largest_picture", bytes: png(1800, 30).length - 1 }]));
    const many = Array.from({ length: 11 }, () => [picture(png(1800)), picture(png(100))]).flat();
    const refused = { failure: failure({ problem: "image", isTooLarge: true, teaches: [sides] }), messages: many };
    expect(chooseTreatment({ ...refused, sent: many })).toEqual(ofRoute([{ ...sides, pixels: 1799 }]));
  });

  it("of a history that nothing would change is not answered with the same request", () => {
    expect(chooseTreatment({ failure: failure({}), messages: [user("a")], sent: [] })).toBeUndefined();
  });
});
