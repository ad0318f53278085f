import { describe, expect, it } from "vitest";
import { assistant, call, result, user } from "../../harness/messages.ts";
import { treat, treatEach } from "./treatment.ts";
import { NOTHING_SAID } from "./words.ts";

const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "sig" };

describe("calls as text", () => {
  it("leaves the thinking with a call that stays, which Anthropic demands, and takes it with the last one", () => {
    const history = [user("go"), assistant(thinking, call("a"), call("b")), result("a"), result("b"), user("more")];
    expect(JSON.stringify(treat(history, { kind: "calls_as_text", ids: ["a"] }))).toContain("thinkingSignature");
    expect(JSON.stringify(treat(history, { kind: "calls_as_text", ids: ["a", "b"] }))).not.toContain(
      "thinkingSignature",
    );
  });
});

it("finds a call by the id that was sent, from which OpenClaw 2026.3 to 2026.4.2 takes all but letters and digits", () => {
  const history = [
    user("go"),
    assistant(call("toolu_01-a")),
    result("toolu_01-a"),
    assistant(call("--")),
    result("--"),
  ];
  const treated = treat<object>(history, { kind: "calls_as_text", ids: ["toolu01a", "__"] });
  expect(treated.slice(1, 3)).toMatchObject([{ content: [{ type: "text" }] }, { role: "user" }]);
  expect(treated.slice(3), "an id of which nothing is left").toEqual(history.slice(3));
});

describe("a tool's result as text", () => {
  it("keeps its images, which no rule on tool blocks is about, in the form of OpenClaw and in Anthropic's", () => {
    const image = { type: "image", data: "aGVyb24=", mimeType: "image/png" };
    const shown = { ...result("a"), content: [{ type: "text", text: "found a" }, image] };
    const history = [user("go"), assistant(call("a")), shown, user("more")];
    const text = { type: "text", text: "[The tool read returned:]\n> found a" };
    const more = { type: "text", text: "more" };
    for (const treatment of [
      { kind: "flat", keepMedia: true },
      { kind: "calls_as_text", ids: ["a"] },
    ] as const)
      expect(treat<object>(history, treatment).slice(2)).toMatchObject(
        treatment.kind === "flat"
          ? [{ role: "user", content: [text, image, more] }]
          : [{ role: "user", content: [text, image] }, user("more")],
      );
    expect(JSON.stringify(treat(history, { kind: "flat", keepMedia: false }))).not.toContain("aGVyb24=");
    const blocks = [
      { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "found a" }, image] },
      more,
    ];
    expect(treat<unknown>([{ role: "user", content: blocks }], { kind: "flat", keepMedia: true })).toMatchObject([
      { content: [{ type: "text" }, image, more] },
    ]);
  });
});

describe("the flat form", () => {
  it("has user and assistant in turn, since strict servers count roles", () => {
    const history = [user("go"), assistant(call("a")), result("a"), user("more")];
    const flat = treat<unknown>(history, { kind: "flat", keepMedia: true }) as { role: string; content: unknown[] }[];
    expect(flat.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(flat[2]!.content).toEqual([
      { type: "text", text: "[The tool read returned:]\n> found a" },
      { type: "text", text: "more" },
    ]);
  });
});

describe("strict roles", () => {
  it("have the assistant say something between a tool's result and the user: Mistral's \"Unexpected role 'user' after role 'tool'\" (openclaw#33177)", () => {
    const strict = treat<unknown>([user("go"), assistant(call("a")), result("a"), user("more")], {
      kind: "strict_roles",
    });
    expect(strict).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      { role: "toolResult" },
      { role: "assistant", content: [{ type: "text", text: NOTHING_SAID }], stopReason: "stop" },
      { role: "user" },
    ]);
  });
});

describe("a treatment up to a time", () => {
  it("changes what was said until then, and a call with its results, in the request as in the store", () => {
    const said = [user("go"), assistant(call("a")), result("a"), user("more"), assistant(call("b")), result("b")];
    const history = said.map((message, at) => ({ ...message, timestamp: at }));
    const treatment = { kind: "flat", keepMedia: true, upTo: 1 } as const;
    expect(treat<unknown>(history, treatment).slice(3)).toEqual(history.slice(3));
    expect(treatEach(history, [treatment])).toEqual(treat<unknown>(history, treatment));
    expect(JSON.stringify(treatEach(history, [treatment]).slice(0, 3))).not.toContain("toolCallId");
    expect(treat(history, { ...treatment, upTo: -1 })).toBe(history);
  });
});

describe("a history without thinking", () => {
  it("has no signature on a text either: Gemini refuses a corrupted one there too (openclaw#23771)", () => {
    const signed = assistant({ type: "text", text: "done", textSignature: "STALE" });
    const plain = assistant({ type: "text", text: "said" });
    const history = [user("go"), signed, plain, user("more")];
    const treated = treat<unknown>(history, { kind: "without_thinking" });
    expect(treated).toEqual([user("go"), assistant({ type: "text", text: "done" }), plain, user("more")]);
    expect(treated[2]).toBe(plain);
    expect(treat(treated, { kind: "without_thinking" })).toBe(treated);
  });
});
