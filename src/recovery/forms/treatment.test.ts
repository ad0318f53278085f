import { describe, expect, it } from "vitest";
import { assistant, call, result, user } from "../../../harness/messages.ts";
import { treat, treatEach } from "./treatment.ts";
import { imageKey } from "./images.ts";
import { LEFT_OUT_MEDIA, NOT_TAKEN_MEDIA, NOTHING_SAID, REFUSED_MEDIA } from "../words.ts";

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
  it("has no item id on a text whose thinking is gone: Responses refuses a message without its reasoning", () => {
    const signed = { type: "text", text: "I look.", textSignature: "msg_1" };
    const history = [user("go"), assistant(thinking, signed, call("a")), result("a"), user("more")];
    expect(JSON.stringify(treat(history, { kind: "flat", keepMedia: true }))).not.toMatch(/msg_1|Signature/);
    const unthought = [user("go"), assistant(signed), user("more")];
    expect(treat(unthought, { kind: "flat", keepMedia: true }), "what was accepted alone stays").toEqual(unthought);
  });

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

describe("a history without pictures and files", () => {
  const picture = (data: string) => ({ type: "image", source: { type: "base64", media_type: "image/png", data } });
  const file = { type: "document", source: { type: "base64", media_type: "application/pdf", data: "cGRm".repeat(20) } };
  const found = { type: "text", text: "found a" };
  const bytes = ["a".repeat(80), "b".repeat(80)] as const;
  const shown = (...content: unknown[]) => ({ type: "tool_result", tool_use_id: "a", content });
  const history = (...blocks: unknown[]) => [user("go"), { role: "user", content: blocks }];
  const refused = { type: "text", text: REFUSED_MEDIA };

  it("has none in a tool's result of Anthropic's form: a picture there is refused with every later message", () => {
    const given = history(shown(found, picture(bytes[0]), file), picture(bytes[1]), file, found);
    const treated = treat<unknown>(given, { kind: "without_media" });
    expect(treated).toEqual(history(shown(found, refused, refused), refused, refused, found));
    expect(treat(treated, { kind: "without_media" }), "treated twice").toBe(treated);
    expect(treated[0], "another message").toBe(given[0]);
  });

  it("keeps all but those that were refused, by their bytes in Anthropic's form too", () => {
    const given = history(shown(found, picture(bytes[0]), picture(bytes[1]), file));
    const images = [imageKey(picture(bytes[1]))!];
    expect(treat<unknown>(given, { kind: "without_media", images })).toEqual(
      history(shown(found, picture(bytes[0]), refused, file)),
    );
  });

  it("keeps the files where a route takes no pictures", () => {
    const given = history(shown(picture(bytes[0]), file), file);
    const taken = { type: "text", text: NOT_TAKEN_MEDIA };
    expect(treat<unknown>(given, { kind: "fewer_pictures", limits: { most: 0 } })).toEqual(
      history(shown(taken, file), file),
    );
  });

  it("keeps a document of plain words, whose words are not to be lost with the files", () => {
    const words = { type: "document", source: { type: "text", media_type: "text/plain", data: "said in a file" } };
    const given = history(shown(words), words);
    expect(treat(given, { kind: "without_media" })).toBe(given);
    expect(JSON.stringify(treat(given, { kind: "one_message" }))).toContain("said in a file");
  });

  it("says where files stood where tool traffic becomes text without them, and where all is sent as one text", () => {
    const given = [...history(shown(found, file), file), user("more")];
    const text = `[The tool "of unknown name" returned:]\n> found a\n${REFUSED_MEDIA}`;
    expect(treat<unknown>(given, { kind: "flat", keepMedia: false })).toMatchObject([
      { content: [{ text: "go" }, { text }, refused, { text: "more" }] },
    ]);
    const whole = JSON.stringify(treat(given, { kind: "one_message" }));
    expect(whole.split(LEFT_OUT_MEDIA)).toHaveLength(3);
    expect(whole).not.toContain(file.source.data);
  });

  it("is made at any depth, in time that grows with the blocks only, and of lists that hold themselves", () => {
    let deep: unknown = picture(bytes[0]);
    for (let level = 0; level < 100_000; level++) deep = shown(deep);
    const [, message] = treat<unknown>(history(deep), { kind: "without_media" }) as { content: unknown[] }[];
    let block = message!.content[0] as { type: string; content: unknown[] };
    while (block.type === "tool_result") block = block.content[0] as typeof block;
    expect(block).toEqual(refused);
    const list: unknown[] = [picture(bytes[0])];
    list.push(shown(), { type: "tool_result", content: list });
    expect(treat<unknown>(history(...list), { kind: "without_media" })[1]).toMatchObject({
      content: [refused, {}, {}],
    });
    let wide: unknown[] = [found];
    for (let level = 0; level < 60; level++) wide = [shown(...wide), { type: "tool_result", content: wide }, found];
    expect(treat(history(...wide), { kind: "without_media" })).toEqual(history(...wide));
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
