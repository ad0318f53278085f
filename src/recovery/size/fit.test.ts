import { describe, expect, it } from "vitest";
import { blocksWithin } from "../forms/blocks.ts";
import { isPicture } from "../forms/images.ts";
import { LEFT_OUT_ARGUMENTS, LEFT_OUT_PICTURE, leftOutSteps, leftOutTurns } from "../words.ts";
import { fit } from "./fit.ts";
import { isWithin, measureMessages } from "./measure.ts";

type Block = Record<string, unknown>;
type Message = Record<string, unknown> & { role: string; content: string | Block[] };

const said = (text: string): Block => ({ type: "text", text });
const user = (text: string): Message => ({ role: "user", content: text });
const answer = (...content: Block[]): Message => ({ role: "assistant", content });
const call = (id: string, args: object = { path: "/a" }): Block => ({
  type: "toolCall",
  id,
  name: "read",
  arguments: args,
});
const result = (id: string, ...content: Block[]): Message => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "read",
  content,
});
const picture = (name: string, size = 10_000): Block => ({
  type: "image",
  data: name.padEnd(size, "A"),
  mimeType: "image/png",
});
const long = (mark: string, size: number): string => `${mark} begins ${"x".repeat(size)} ${mark} ends`;

/** A turn with one step. */
function turn(nth: number, { asked = 50, found = 50, told = 50 } = {}): Message[] {
  return [
    user(long(`question ${nth}`, asked)),
    answer(call(`c${nth}`)),
    result(`c${nth}`, said(long(`result ${nth}`, found))),
    answer(said(long(`answer ${nth}`, told))),
  ];
}

const contentJson = (message: unknown): string => JSON.stringify((message as Message).content);
const countCharacters = (messages: readonly unknown[]): number => measureMessages(messages).characters;

describe("what is left out first", () => {
  it("are the middles of the oldest results, and nothing else as long as that is enough", () => {
    const messages = [
      ...turn(1, { found: 30_000 }),
      ...turn(2, { found: 30_000 }),
      ...turn(3, { found: 30_000 }),
      user("now"),
    ];
    const fitted = fit(messages, { characters: 90_000 });
    const [, , first] = fitted;
    expect(contentJson(first)).toMatch(
      /result 1 begins x+ \[… \d+ characters of this result .*run the tool again.* …\] x+ result 1 ends/,
    );
    expect(contentJson(first).length).toBeLessThan(2100);
    for (const [at, message] of fitted.entries()) if (at !== 2) expect(message).toBe(messages[at]);
  });

  it("are then the middles of the oldest messages; those of the newest turn stay", () => {
    const sizes = { asked: 20_000, told: 20_000 };
    const messages = [...turn(1, sizes), ...turn(2, sizes), user(long("question 3", 20_000))];
    const fitted = fit(messages, { characters: 98_000 });
    expect(contentJson(fitted[0])).toMatch(
      /question 1 begins x+ \[… \d+ characters are left out here: .*\/timeline.* …\] x+ question 1 ends/,
    );
    expect(fitted.slice(4)).toEqual(messages.slice(4));
    expect(fitted).toHaveLength(messages.length);
  });

  it("are then the pictures from the oldest on", () => {
    const messages = [1, 2, 3, 4].flatMap((nth) => [
      { role: "user", content: [said(`question ${nth}`), picture(`p${nth}`)] },
      answer(said("seen")),
    ]);
    const fitted = fit(messages, { characters: 24_000 });
    expect(fitted.map((message) => blocksWithin(message).filter(isPicture).length)).toEqual([0, 0, 0, 0, 1, 0, 1, 0]);
    expect((fitted[0]!.content as Block[])[1]).toEqual(said(LEFT_OUT_PICTURE));
  });

  it("are the pictures, before any words, where only the bytes are too many", () => {
    const messages = [
      ...turn(1, { found: 5000, told: 5000 }),
      { role: "user", content: [said("look"), picture("p1", 90_000)] },
      answer(call("c2")),
      result("c2", picture("p2", 90_000)),
      answer(said("seen")),
      user("now"),
    ];
    const fitted = fit(messages, { characters: 50_000, bytes: 150_000 });
    expect(JSON.stringify(fitted)).toBe(
      JSON.stringify(messages).replace(JSON.stringify(picture("p2", 90_000)), JSON.stringify(said(LEFT_OUT_PICTURE))),
    );
  });

  it("are then the oldest turns, said before the first question that is sent", () => {
    const messages = [...Array.from({ length: 30 }, (_, nth) => turn(nth, { told: 1500 })).flat(), user("now")];
    const fitted = fit(messages, { characters: 30_000 });
    const left = messages.length - fitted.length;
    expect(left % 4).toBe(0);
    expect(fitted[0]).toEqual({
      role: "user",
      content: [said(leftOutTurns(left)), said(long(`question ${left / 4}`, 50))],
    });
    expect(fitted.slice(1)).toEqual(messages.slice(left + 1));
  });

  it("are then the oldest steps of the newest turn, said behind its question", () => {
    const steps = Array.from({ length: 60 }, (_, nth) => [
      answer(call(`s${nth}`)),
      result(`s${nth}`, said(long(`r${nth}`, 900))),
    ]);
    const messages = [user("work"), ...steps.flat()];
    const fitted = fit(messages, { characters: 30_000 });
    const left = messages.length - fitted.length;
    expect(fitted[0]).toEqual({ role: "user", content: [said("work"), said(leftOutSteps(left))] });
    expect(fitted.slice(1)).toEqual(messages.slice(left + 1));
  });

  it("is last the middle of the newest question", () => {
    const messages = [...turn(1, { told: 1000 }), user(long("question", 50_000))];
    const fitted = fit(messages, { characters: 20_000 });
    expect(contentJson(fitted.at(-1))).toMatch(
      /question begins x+ \[… \d+ characters are left out here: .* …\] x+ question ends/,
    );
    const whole = fit(messages, { characters: 50_700 });
    expect(whole).toHaveLength(1);
    expect(contentJson(whole[0])).toContain(long("question", 50_000));
  });
});

it("messages that a person has sent one after the other stay together, as the newest question", () => {
  const asked = [user(long("first", 5000)), user(long("second", 5000)), user("third")];
  const messages = [...turn(1, { told: 9000 }), ...turn(2, { told: 9000 }), ...asked];
  expect(fit(messages, { characters: 12_000 }).slice(-2)).toEqual(asked.slice(-2));
  expect(contentJson(fit(messages, { characters: 12_000 }).at(-3))).toContain(long("first", 5000));
  const worked = [
    ...messages,
    ...turn(9, { found: 1500 }).slice(1, -1),
    answer(call("c8")),
    result("c8", said(long("r8", 1500))),
  ];
  const fitted = fit(worked, { characters: 13_200 });
  expect(contentJson(fitted.at(-3))).toContain(leftOutSteps(2));
  expect(fitted.at(-4)).toBe(asked[1]);
  const many = Array.from({ length: 900 }, (_, nth) => user(`question ${nth}`));
  const last = fit(many, { characters: 9000 });
  expect(contentJson(last[0])).toContain(leftOutTurns(900 - last.length));
  expect(last.slice(1)).toEqual(many.slice(1 - last.length));
});

it("what a person says behind results in the middle of the work stays, as the newest words", () => {
  const step = (nth: number, ...more: Block[]): Message[] => [
    answer({ type: "tool_use", id: `s${nth}`, name: "read", input: {} }),
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `s${nth}`, content: long(`r${nth}`, 900) }, ...more],
    },
  ];
  const steps = Array.from({ length: 60 }, (_, nth) => step(nth, ...(nth === 20 ? [said("stop after this")] : [])));
  const fitted = fit([user("work"), ...steps.flat()], { characters: 20_000 });
  expect(JSON.stringify(fitted)).toContain("stop after this");
  expect(fitted.slice(1, 3)).toEqual(steps[20]);
  expect(fitted.slice(-2)).toEqual(steps[59]);
});

it("a question that fits alone gives way to its step, where what was said behind the results is the newest", () => {
  const results = { type: "tool_result", tool_use_id: "t1", content: [said(long("found", 350))] };
  const step = [
    answer({ type: "tool_use", id: "t1", name: "read", input: { path: "/a" } }, said(long("thought", 350))),
    { role: "user", content: [results, said("and hurry")] },
  ];
  for (const asked of [[said(long("work", 19_500))], [said(long("work", 7000)), picture("p1"), picture("p2")]]) {
    const fitted = fit([{ role: "user", content: asked }, ...step], { characters: 20_000 });
    expect(isWithin(measureMessages(fitted), { characters: 20_000 })).toBe(true);
    expect(contentJson(fitted[0])).toMatch(/work begins x+.*work ends/);
    expect(fitted.slice(1)).toEqual(step);
    expect(fit(fitted, { characters: 20_000 })).toBe(fitted);
  }
});

it("the results before the newest words of the user give way before the question, though their step stays", () => {
  const step = (nth: number, size: number, ...more: Block[]): Message[] => [
    answer({ type: "tool_use", id: `s${nth}`, name: "read", input: { path: "/a" } }),
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `s${nth}`, content: [said(long("found", size)), ...more] }],
    },
  ];
  const [call1, results1] = step(1, 3300, picture("p2")) as [Message, Message];
  const asked = { ...results1, content: [...(results1.content as Block[]), said("and hurry")] };
  const question = { role: "user", content: [said(long("work", 14_000)), picture("p1")] };
  const fitted = fit([question, call1, asked, ...step(2, 5000)], { characters: 30_000 });
  expect(isWithin(measureMessages(fitted), { characters: 30_000 })).toBe(true);
  expect(fitted[0]).toBe(question);
  expect(contentJson(fitted[2])).toMatch(/found begins x+ \[… .* …\] x+ found ends.*and hurry/);
});

it("only turns and steps are left out where there are too many messages, since shorter ones are not fewer", () => {
  const messages = [...Array.from({ length: 300 }, (_, nth) => turn(nth, { found: 9000 })).flat(), user("now")];
  const fitted = fit(messages, { messages: 800 });
  expect(fitted.length).toBeLessThanOrEqual(800);
  expect(fitted.length).toBeGreaterThan(580);
  expect(fitted.slice(1)).toEqual(messages.slice(1 - fitted.length));
  expect(fit(fitted, { messages: 800 })).toBe(fitted);
  const questions = Array.from({ length: 3000 }, (_, nth) => user(`question ${nth}`));
  expect(fit(questions, { messages: 2000 })).toHaveLength(1500);
});

describe("the newest result", () => {
  it("is shortened to half of the budget before anything older goes for it", () => {
    const messages = [...turn(1), user("read"), answer(call("c9")), result("c9", said(long("result 9", 500_000)))];
    const fitted = fit(messages, { characters: 100_000 });
    expect(fitted.slice(0, -1)).toEqual(messages.slice(0, -1));
    expect(contentJson(fitted.at(-1)).length).toBeGreaterThan(32_000);
    expect(contentJson(fitted.at(-1)).length).toBeLessThan(50_000);
  });
});

describe("in the arguments of a call", () => {
  const fitted = (args: object): unknown => {
    const messages = [
      user("go"),
      answer(call("c1", args)),
      result("c1", said("ok")),
      answer(said("done")),
      user("now"),
    ];
    const [block] = (fit(messages, { characters: 15_000 })[1] as Message).content as Block[];
    return block!.arguments;
  };

  it("long texts are shortened, and names stay whole", () => {
    const short = fitted({
      old: "o".repeat(20_000),
      path: "/a/b.ts",
      edits: [{ text: "n".repeat(20_000) }],
      all: true,
    });
    expect(short).toEqual({
      old: expect.stringMatching(/^o{500,} \[… .* …\] o{500,}$/),
      path: "/a/b.ts",
      edits: [{ text: expect.stringMatching(/^n{500,} \[… .* …\] n{500,}$/) }],
      all: true,
    });
  });

  it("are all left out where they hold no long texts, and stay an object", () => {
    expect(fitted({ numbers: Array.from({ length: 9000 }, (_, nth) => nth) })).toEqual({
      left_out: LEFT_OUT_ARGUMENTS,
    });
  });
});

it("thinking stays whole, so that its signature holds", () => {
  const thinking = { type: "thinking", thinking: "t".repeat(9000), thinkingSignature: "s".repeat(900) };
  const messages = [user("go"), answer(thinking, said("a".repeat(40_000))), user("now")];
  const [, second] = fit(messages, { characters: 30_000 });
  expect((second!.content as Block[])[0]).toBe(thinking);
  expect((second!.content as Block[])[1]!.text).not.toBe("a".repeat(40_000));
});

it("what cannot fit is sent in its shortest form", () => {
  const thinking = { type: "thinking", thinking: "t".repeat(90_000) };
  const messages = [user(long("go", 9000)), answer(thinking, call("c1")), result("c1", said("r"))];
  const fitted = fit(messages, { characters: 3000 });
  expect(isWithin(measureMessages(fitted), { characters: 3000 })).toBe(true);
  expect(fit(messages, { characters: 100 })).toHaveLength(1);
});

it("an agent's requests begin as the ones before for the most part, so that a provider's cache is of use", () => {
  const messages: Message[] = [];
  let before = "";
  let whole = 0;
  let requests = 0;
  for (let nth = 0; nth < 100; nth++) {
    messages.push(...turn(nth, { asked: 500, found: 4000, told: 1500 }).slice(0, 3));
    const next = fit(messages.slice(), { characters: 100_000 })
      .map((message) => JSON.stringify(message))
      .join("\n");
    if (countCharacters(messages) > 100_000) {
      requests++;
      if (next.startsWith(before)) whole++;
    }
    before = next;
    messages.push(answer(said(long(`answer ${nth}`, 1500))));
  }
  expect(requests).toBeGreaterThan(70);
  expect(whole / requests).toBeGreaterThan(0.7);
});
