import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { idIn, Lines } from "./lines.ts";

/** What comes out of lines that come in such pieces. */
async function through(
  pieces: readonly Buffer[],
  longest: number,
): Promise<{ lines: string[]; tooLong: { head: string; tail: string }[] }> {
  const tooLong: { head: string; tail: string }[] = [];
  const lines: string[] = [];
  const stream = new Lines(longest, (head, tail) => void tooLong.push({ head, tail }));
  stream.on("data", (chunk: Buffer) => void lines.push(chunk.toString()));
  for (const piece of pieces) stream.write(piece);
  stream.end();
  await new Promise((done) => void stream.once("end", done));
  return { lines, tooLong };
}

describe("lines of a client", () => {
  test("come out whole and one at a time in whatever pieces they come in, and those that are too long not at all", async () => {
    const line = fc.string({ unit: "grapheme", maxLength: 40 }).map((text) => text.replaceAll("\n", ""));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 10 }), fc.array(fc.nat({ max: 400 })), async (texts, cuts) => {
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""));
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length];
        const { lines, tooLong } = await through(
          places.slice(1).map((end, at) => bytes.subarray(places[at]!, end)),
          30,
        );
        const isTooLong = (text: string): boolean => Buffer.byteLength(`${text}\n`) > 30;
        expect(lines).toEqual(texts.filter((text) => !isTooLong(text)).map((text) => `${text}\n`));
        expect(tooLong.map(({ head }) => head)).toEqual(
          texts.filter(isTooLong).map((text) => expect.stringContaining(text.slice(0, 5)) as string),
        );
        expect(tooLong.every(({ head, tail }) => head.length <= 256 && tail.length <= 256 && tail.endsWith("\n"))).toBe(
          true,
        );
      }),
    );
  });

  test("tell by their beginning or end which request they were, and by nothing in between", () => {
    const long = "y".repeat(300);
    const readId = (text: string): unknown => idIn(text.slice(0, 256), text.slice(-256));
    expect(readId(`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"${long}"}}\n`)).toBe(7);
    expect(readId(`{"id": "a-7", "method":"ping","params":{"x":"${long}"}}\n`)).toBe("a-7");
    expect(readId(`{"method":"ping","params":{"x":"${long}"},"jsonrpc":"2.0","id":8}\n`)).toBe(8);
    expect(readId(`{"method":"ping","params":{"id":9,"x":"${long}"},"jsonrpc":"2.0"}\n`)).toBeUndefined();
    expect(readId(`{"method":"ping","params":{"x":"${long}","id":9}}\n`)).toBeUndefined();
    expect(readId(long)).toBeUndefined();
  });
});
