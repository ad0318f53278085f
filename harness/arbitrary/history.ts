/** Random histories for property tests: healthy ones, corrupt ones with what a repair may not lose, and any JSON. */
import fc from "fast-check";
import { CORRUPTIONS, FOREIGN } from "./corruptions.ts";
import { Draw } from "./draw.ts";
import { assistant, blocks, TIMESTAMP, toolResult, type Block, type Message } from "./stored-messages.ts";

/** A generated history and what must be left of it after any repair. */
export interface CorruptHistory {
  messages: unknown[];
  /** Names of the corruptions that were put in, for failure reports. */
  corruptions: string[];
  /** Texts of user and assistant blocks that stand in the history in a turn that did not fail. */
  texts: string[];
  /** Texts of real results that can be matched: their call stands in the history and the ids still agree. */
  results: { text: string; call: string }[];
}

const NAMES = ["exec", "read", "web_search", "calendar.list", "browser"];

/** A healthy history: turns of a user, with or without tools, ending with an assistant's answer. */
function healthyHistory(draw: Draw, turns: number): Message[] {
  const messages: Message[] = [];
  let serial = 0;
  for (let turn = 0; turn < turns; turn++) {
    messages.push({
      role: "user",
      content: draw.next(2) ? `question u${serial} end` : [{ type: "text", text: `question u${serial} end` }],
      timestamp: TIMESTAMP,
    });
    serial++;
    for (let round = draw.next(3); round > 0; round--) {
      const calls = 1 + draw.next(3);
      const content: Block[] = draw.next(2) ? [{ type: "text", text: `thinking aloud a${serial++} end` }] : [];
      const results: Message[] = [];
      for (let call = 0; call < calls; call++) {
        const mark = serial++;
        const id = `toolu_${mark.toString().padStart(6, "0")}`;
        const name = draw.pick(NAMES);
        content.push({ type: "toolCall", id, name, arguments: { mark: `c${mark} end` } });
        results.push(toolResult(id, name, `output r${mark} end`));
      }
      messages.push(assistant(content, "toolUse"), ...results);
    }
    messages.push(assistant([{ type: "text", text: `answer a${serial++} end` }], "stop"));
  }
  return messages;
}

/** The corrupt history that a list of numbers stands for; the same numbers always give the same history. */
export function historyFrom(numbers: readonly number[], turns: number, kinds: readonly number[]): CorruptHistory {
  const draw = new Draw(numbers);
  const messages: unknown[] = healthyHistory(draw, turns);
  const names = Object.keys(CORRUPTIONS);
  const corruptions = kinds.map((kind) => names[kind % names.length]!);
  for (const name of corruptions) if (messages.length > 0) CORRUPTIONS[name]!(messages, draw);
  return { messages, corruptions, ...expectations(messages) };
}

/** Reads off the history itself what a repair may not lose. */
function expectations(messages: readonly unknown[]): Pick<CorruptHistory, "texts" | "results"> {
  const texts: string[] = [];
  const calls = new Map<string, { id: unknown }>();
  const ids = new Map<unknown, number>();
  const found: { text: string; id: unknown }[] = [];
  for (const message of messages as (Message | null)[]) {
    if (message?.role === "user" && typeof message.content === "string" && message.content.trim())
      texts.push(message.content);
    const failed = ["error", "aborted", "terminated"].includes(message?.stopReason as string);
    for (const block of blocks(message)) {
      if (typeof block !== "object" || block === null) continue;
      if (message?.role === "toolResult") {
        const text = block.text;
        if (typeof text === "string" && text.startsWith("output r")) found.push({ text, id: message.toolCallId });
        continue;
      }
      if (block.type === "tool_result" && Array.isArray(block.content)) {
        const text = (block.content as (Block | null)[])[0]?.text;
        if (typeof text === "string" && text.startsWith("output r")) found.push({ text, id: block.tool_use_id });
      }
      if (block.type === "text" && typeof block.text === "string" && block.text.trim() && !failed)
        texts.push(block.text);
      const mark = /c(\d+) end/.exec(JSON.stringify(block.arguments ?? block.input) ?? "")?.[1];
      const id = block.call_id ?? block.id;
      if (mark !== undefined && !calls.has(mark)) calls.set(mark, { id });
      // Calls whose arguments were damaged count as well: they may be the ones a result belongs to.
      if (message?.role === "assistant" && block.type !== "text") ids.set(id, (ids.get(id) ?? 0) + 1);
    }
  }
  const results = found.flatMap(({ text, id }) => {
    const mark = /r(\d+) end/.exec(text)![1]!;
    const call = calls.get(mark);
    // An id that several calls share, or that is none, says nothing for certain once messages were moved.
    const certain = call && call.id === id && typeof id === "string" && id.trim() !== "" && ids.get(id) === 1;
    return certain ? [{ text, call: `c${mark} end` }] : [];
  });
  return { texts, results };
}

/** Corrupt histories of 1 to 5 turns with 0 to 5 corruptions. */
export const corruptHistory: fc.Arbitrary<CorruptHistory> = fc
  .tuple(
    fc.array(fc.nat(1_000_000), { minLength: 8, maxLength: 40 }),
    fc.integer({ min: 1, max: 5 }),
    fc.array(fc.nat(Object.keys(CORRUPTIONS).length - 1), { maxLength: 5 }),
  )
  .map(([numbers, turns, kinds]) => historyFrom(numbers, turns, kinds));

/** Lists of any JSON, some of it with the keys that matter. */
export const anyHistory: fc.Arbitrary<unknown[]> = fc.array(
  fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.record(
      {
        role: fc.oneof(
          fc.constantFrom("user", "assistant", "toolResult", "tool", "system"),
          fc.jsonValue({ maxDepth: 1 }),
        ),
        content: fc.oneof(
          fc.string(),
          fc.array(
            fc.oneof(
              fc.jsonValue({ maxDepth: 2 }),
              fc.constantFrom(...FOREIGN),
              fc.record(
                {
                  type: fc.constantFrom(
                    "text",
                    "toolCall",
                    "tool_use",
                    "tool_result",
                    "thinking",
                    "image",
                    "functionCall",
                  ),
                  text: fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 1 })),
                  id: fc.oneof(fc.constantFrom("a", "b", ""), fc.jsonValue({ maxDepth: 1 })),
                  tool_use_id: fc.constantFrom("a", "b", ""),
                  name: fc.oneof(fc.constantFrom("exec", ""), fc.jsonValue({ maxDepth: 1 })),
                  arguments: fc.jsonValue({ maxDepth: 2 }),
                  content: fc.jsonValue({ maxDepth: 2 }),
                },
                { requiredKeys: ["type"] },
              ),
            ),
            { maxLength: 4 },
          ),
          fc.jsonValue({ maxDepth: 1 }),
        ),
        toolCallId: fc.oneof(fc.constantFrom("a", "b", ""), fc.jsonValue({ maxDepth: 1 })),
        stopReason: fc.constantFrom("stop", "toolUse", "error", "aborted"),
      },
      { requiredKeys: ["role"] },
    ),
  ),
  { maxLength: 8 },
);

/** A healthy history of `turns` turns, the same one for the same seed. */
export function healthyFrom(seed: number, turns: number): unknown[] {
  return healthyHistory(new Draw(Array.from({ length: 97 }, (_, at) => (seed + 1) * 104_729 * (at + 1))), turns);
}
