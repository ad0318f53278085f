/** Valid histories with long texts, pictures, thinking and calls, as they become too large for a model. */
import fc from "fast-check";
import { Draw } from "./draw.ts";

type Block = Record<string, unknown>;
type Message = Record<string, unknown> & { role: string };

const START = 1_770_000_000_000;
const PIECES = ["word ", "文字列です", "🦞🦀", '"\\\n', "line\n", '{"key": 1}, ', "ü", "> quoted\n"];
const LENGTHS = [3, 40, 400, 3000, 9000, 30_000];

/** A text that begins and ends with its mark, up to some 30,000 characters long. */
function text(draw: Draw, mark: string): string {
  const piece = draw.pick(PIECES);
  const length = draw.pick(LENGTHS);
  return `${mark} begins ${piece.repeat(Math.ceil(length / piece.length))} ${mark} ends`;
}

function picture(draw: Draw): Block {
  return { type: "image", data: "iVBORw0KGgo".padEnd(draw.pick([100, 4000, 60_000]), "A"), mimeType: "image/png" };
}

function content(draw: Draw, mark: string): Block[] {
  const blocks: Block[] = [{ type: "text", text: text(draw, mark) }];
  for (let more = draw.next(3); more > 1; more--) blocks.push({ type: "text", text: text(draw, `${mark}+${more}`) });
  if (draw.next(5) === 0) blocks.push(picture(draw));
  return blocks;
}

class Writer {
  readonly messages: Message[] = [];
  readonly #draw: Draw;
  constructor(draw: Draw) {
    this.#draw = draw;
  }

  add(role: string, fields: object): void {
    this.messages.push({ role, ...fields, timestamp: START + this.messages.length });
  }

  question(nth: number): void {
    const mark = `q${nth}`;
    this.add("user", { content: this.#draw.next(3) ? content(this.#draw, mark) : text(this.#draw, mark) });
  }

  answer(blocks: readonly Block[], stopReason: string): void {
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
    this.add("assistant", {
      content: blocks,
      api: "some-api",
      provider: "some",
      model: "some-model",
      usage,
      stopReason,
    });
  }

  step(turn: number, nth: number): void {
    const draw = this.#draw;
    const calls = Array.from({ length: 1 + draw.next(4) }, (_, at): Block => {
      const args = { path: `/a/${at}.ts`, content: text(draw, `c${turn}.${nth}.${at}`), flags: [1, true, null] };
      return { type: "toolCall", id: `toolu_${turn}_${nth}_${at}`, name: "write", arguments: args };
    });
    const thinking: Block[] = draw.next(3)
      ? []
      : [{ type: "thinking", thinking: `thought ${"t".repeat(draw.pick([5, 900]))}` }];
    this.answer([...thinking, ...calls], "toolUse");
    calls.forEach(({ id }, at) => {
      this.add("toolResult", {
        toolCallId: id,
        toolName: "write",
        content: content(draw, `r${turn}.${nth}.${at}`),
        isError: false,
        details: { whole: "not sent" },
      });
    });
  }
}

/** The history that a list of numbers stands for; it ends with a question or with results, as a request does. */
export function longHistoryFrom(numbers: readonly number[], turns: number): Message[] {
  const draw = new Draw(numbers);
  const writer = new Writer(draw);
  for (let turn = 0; turn < turns; turn++) {
    writer.question(turn);
    const steps = draw.next(4);
    const isLast = turn === turns - 1;
    if (isLast && steps === 0) break;
    for (let step = 0; step < (isLast ? steps * 2 : steps); step++) writer.step(turn, step);
    if (!isLast) writer.answer([{ type: "text", text: text(draw, `a${turn}`) }], "stop");
  }
  return writer.messages;
}

/** Histories of 1 to 12 turns. */
export const longHistory: fc.Arbitrary<Message[]> = fc
  .tuple(fc.array(fc.nat(1_000_000), { minLength: 8, maxLength: 60 }), fc.integer({ min: 1, max: 12 }))
  .map(([numbers, turns]) => longHistoryFrom(numbers, turns));

/**
 * The same history in Anthropic's own form: the results of a step are in one message of the user's, and behind those of
 * each third step of a turn the user says something.
 */
export function inAnthropicForm(messages: readonly Message[]): Message[] {
  const out: Message[] = [];
  const said = new Set<Message>();
  for (const { role, content: given, toolCallId } of messages) {
    const blocks = Array.isArray(given) ? (given as Block[]).map(anthropicBlock) : given;
    if (role !== "toolResult") {
      out.push({ role, content: blocks });
      continue;
    }
    const result = { type: "tool_result", tool_use_id: toolCallId, content: blocks };
    const last = out.at(-1)!;
    if (last.role === "user" && Array.isArray(last.content) && (last.content as Block[])[0]?.type === "tool_result")
      (last.content as Block[]).push(result);
    else out.push({ role: "user", content: [result] });
    if (String(toolCallId).endsWith("_2_0")) said.add(out.at(-1)!);
  }
  for (const message of said) (message.content as Block[]).push({ type: "text", text: "said in between" });
  return out;
}

function anthropicBlock(block: Block): Block {
  switch (block.type) {
    case "toolCall":
      return { type: "tool_use", id: block.id, name: block.name, input: block.arguments };
    case "image":
      return { type: "image", source: { type: "base64", media_type: block.mimeType, data: block.data } };
    case "thinking":
      return { type: "text", text: String(block.thinking) };
    default:
      return block;
  }
}
