import { describe, expect, it } from "vitest";
import { assistant, call, result } from "../../harness/messages.ts";
import { imageKeysIn } from "./forms/images.ts";
import { remember, treatAll } from "./remembered.ts";
import type { Treatment } from "./forms/treatment.ts";

const image = (timestamp: number): object => ({
  role: "user",
  content: [{ type: "image", data: String(timestamp).repeat(80), mimeType: "image/png" }],
  timestamp,
});
const keys = [1, 3].flatMap((nth) => [...imageKeysIn(String(nth).repeat(80))]);
const thought = { type: "thinking", thinking: "hm", thinkingSignature: "sig" };
const HISTORY = [
  image(1),
  assistant(thought, call("a")),
  result("a"),
  image(2),
  assistant(thought, call("b"), call("c")),
  result("b"),
  result("c"),
  image(3),
];

describe("the treatments of a session", () => {
  it.each<[string, Treatment[]]>([
    ["of each turn's calls", ["a", "b", "c"].map((id): Treatment => ({ kind: "calls_as_text", ids: [id] }))],
    ["of each turn's thinking", ["b", "a"].map((id): Treatment => ({ kind: "without_thinking", ids: [id] }))],
    ["of each turn's images", [1, 3, 2].map((until): Treatment => ({ kind: "without_media", until }))],
    [
      "of images without a time",
      [
        { kind: "without_media", until: undefined },
        { kind: "without_media", until: 1 },
      ],
    ],
    ["of each turn's image", keys.map((key): Treatment => ({ kind: "without_media", images: [key] }))],
    ["of all tool traffic", [1, 3].map((until): Treatment => ({ kind: "flat", keepMedia: false, until }))],
  ])("are one however many turns were refused, and change what all of them would: %s", (_what, confirmed) => {
    const remembered: Treatment[] = [];
    for (const treatment of confirmed) remember(remembered, [treatment]);
    expect(remembered).toHaveLength(1);
    expect(treatAll<unknown>(HISTORY, remembered)).toEqual(treatAll<unknown>(HISTORY, confirmed));
  });

  it("stay apart where they change other things", () => {
    const confirmed: Treatment[] = [
      { kind: "without_thinking" },
      { kind: "without_thinking", ids: ["a"] },
      { kind: "flat", keepMedia: true },
      { kind: "flat", keepMedia: false, until: 1 },
      { kind: "strict_roles" },
    ];
    const remembered: Treatment[] = [];
    remember(remembered, confirmed);
    remember(remembered, [{ kind: "without_thinking" }]);
    expect(remembered).toEqual([...confirmed.slice(1), confirmed[0]]);
  });
});
