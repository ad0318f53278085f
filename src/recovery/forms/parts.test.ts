import { describe, expect, it } from "vitest";
import { LEFT_OUT_PART, REFUSED_MEDIA } from "../words.ts";
import { treatAll } from "../remembered.ts";
import { toTreatments } from "../search/run-search.ts";
import { splitHistory, withoutParts } from "./parts.ts";

const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(50) } };
const text = (words: string) => ({ type: "text", text: words });
const user = (...content: object[]) => ({ role: "user", content });
const assistant = (...content: object[]) => ({ role: "assistant", content });
const NOTE = text(LEFT_OUT_PART);

/** The same conversation in both forms. */
const IN_ANTHROPIC = [
  user(text("one")),
  assistant(text("yes")),
  user(text("two"), picture),
  assistant(text("reads"), { type: "tool_use", id: "a", name: "read", input: {} }),
  user({ type: "tool_result", tool_use_id: "a", content: [text("result"), picture] }),
  assistant(text("three")),
  user(text("now?")),
];
const IN_OPENCLAW = [
  { ...user(text("one"), picture), timestamp: 1 },
  { ...assistant(text("reads"), { type: "toolCall", id: "a", name: "read", arguments: {} }), timestamp: 2 },
  { role: "toolResult", toolCallId: "a", toolName: "read", content: [text("result")], timestamp: 3 },
  { ...assistant(text("three")), timestamp: 4 },
  { ...user(text("now?")), timestamp: 5 },
];

it("a part is text where no other form of it could be asked about", () => {
  expect(splitHistory(IN_ANTHROPIC).map(({ isText }) => isText!())).toEqual([true, true, false, false, true]);
  expect(splitHistory(IN_OPENCLAW).map(({ isText }) => isText!())).toEqual([false, false, true]);
});

describe("pieces of a part", () => {
  it.each([
    { form: "Anthropic's", messages: IN_ANTHROPIC, counts: [0, 0, 2, 3, 0] },
    { form: "OpenClaw's", messages: IN_OPENCLAW, counts: [2, 2, 0] },
  ])("in $form form are left out one by one in place, and nothing else is lost with them", ({ messages, counts }) => {
    const parts = splitHistory(messages);
    expect(parts.map(({ pieces }) => pieces!().length)).toEqual(counts);
    for (const piece of parts.flatMap(({ pieces }) => pieces!())) {
      expect(piece).not.toMatch(/one|two|reads|result\b|three/);
      const left = withoutParts(messages, new Set([piece]));
      const [before, after] = [JSON.stringify(messages), JSON.stringify(left)];
      expect(left).toHaveLength(messages.length);
      expect(left.filter((message, at) => message !== messages[at])).toHaveLength(1);
      expect(after.split(LEFT_OUT_PART)).toHaveLength(2);
      const words = ["one", "two", "reads", '"result"', "three"].filter((word) => before.includes(word));
      const lost = words.filter((word) => !after.includes(word));
      const pictures = before.split(picture.source.data).length - after.split(picture.source.data).length;
      expect(lost.length + pictures).toBe(1);
      expect(withoutParts(left, new Set([piece]))).toBe(left);
    }
  });

  it.each([
    { form: "blocks", content: [text("refused")] },
    { form: "a text", content: "refused" },
  ])("stay left out where OpenClaw makes one message of two questions, and nothing else does: $form", ({ content }) => {
    const [first, second] = [
      { role: "user", content, timestamp: 1 },
      { ...user(text("taken")), timestamp: 2 },
    ];
    const before = [first, second, { ...assistant(text("so")), timestamp: 3 }, { ...user(text("now?")), timestamp: 4 }];
    const [part] = splitHistory(before);
    const keys = new Set([...part!.keys, ...part!.contents!()]);
    const after = [{ ...second, content: [text("refused"), ...second.content] }, ...before.slice(2)];
    expect(withoutParts(after, keys)).toEqual([{ ...second, content: [NOTE, text("taken")] }, ...before.slice(2)]);
    const others = [second, { ...user(text("refused")), timestamp: 5 }];
    expect(withoutParts(others, keys)).toBe(others);
  });

  it("stand beside messages that are left out", () => {
    const parts = splitHistory(IN_ANTHROPIC);
    const keys = [...parts[1]!.keys, parts[2]!.pieces!()[0]!];
    expect(withoutParts(IN_ANTHROPIC, new Set(keys)).slice(1, 3)).toEqual([
      { role: "assistant", content: [NOTE], stopReason: "stop" },
      user(text("two"), NOTE),
    ]);
  });

  it("of a result leave its call answered, also where its content is a text", () => {
    const inOpenClaw = [IN_OPENCLAW[1], { ...IN_OPENCLAW[2], content: "result" }, IN_OPENCLAW[4]];
    const [, result] = splitHistory(inOpenClaw)[0]!.pieces!();
    expect(withoutParts(inOpenClaw, new Set([result!]))[1]).toEqual({ ...IN_OPENCLAW[2], content: [NOTE] });
    const block = { type: "tool_result", tool_use_id: "a", content: "result" };
    const inAnthropic = [IN_ANTHROPIC[3], user(block), IN_ANTHROPIC[6]];
    const [, content] = splitHistory(inAnthropic)[0]!.pieces!();
    expect(withoutParts(inAnthropic, new Set([content!]))[1]).toEqual(user({ ...block, content: [NOTE] }));
  });
});

it("a request in words holds no picture, also where the messages have no time and a note stands beside them", () => {
  const parts = splitHistory(IN_ANTHROPIC).map(({ keys }) => keys);
  const asked = treatAll(
    IN_ANTHROPIC as unknown[],
    toTreatments(IN_ANTHROPIC, parts, { from: 2, end: 3, inWords: true }),
  );
  expect(asked[0]).toMatchObject(user(NOTE, text("two"), text(REFUSED_MEDIA)));
});
