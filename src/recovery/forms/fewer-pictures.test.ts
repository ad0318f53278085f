import { describe, expect, it } from "vitest";
import { fewerPictures, type PictureLimits, withoutDocuments } from "./fewer-pictures.ts";
import { longestSide } from "./picture-size.ts";

/** A PNG that is nothing but its header. */
function png(side: number, padding = 0): string {
  const bytes = Buffer.alloc(33 + padding);
  bytes.write("89504e470d0a1a0a", 0, "hex");
  bytes.writeUInt32BE(side, 16);
  bytes.writeUInt32BE(10, 20);
  return bytes.toString("base64");
}
const picture = (data: string) => ({ type: "image", data, mimeType: "image/png" });
const shot = (name: number, data: string) => ({
  role: "toolResult",
  content: [{ type: "text", text: `${name}` }, picture(data)],
});
/** The names of the messages that still have their picture. */
const kept = (messages: readonly unknown[]): string[] =>
  (messages as ReturnType<typeof shot>[])
    .filter(({ content }) => content.some(({ type }) => type === "image"))
    .map(({ content }) => String((content[0] as { text?: string }).text));

describe("of the pictures of a request go", () => {
  const sides = [2500, 100, 2500, 100, 2500];
  it.each<[string, PictureLimits, string[]]>([
    ["none where none is too many or too large", { most: 5, bytes: 9999, pixels: 2500 }, ["0", "1", "2", "3", "4"]],
    ["the oldest ones that are too many", { most: 2 }, ["3", "4"]],
    ["those alone that are too large by their sides", { pixels: 2000 }, ["1", "3"]],
    [
      "those of many that are too large, oldest first, until they are not many",
      { ofMany: { pixels: 2000, above: 3 } },
      ["1", "3", "4"],
    ],
    [
      "none of few that would be too large among many",
      { ofMany: { pixels: 2000, above: 5 } },
      ["0", "1", "2", "3", "4"],
    ],
    ["too large ones first, which then no longer count", { most: 3, pixels: 2000 }, ["1", "3"]],
    ["all for a route that takes none", { most: 0 }, []],
  ])("%s", (_what, limits, left) => {
    const messages = sides.map((side, at) => shot(at, png(side)));
    const fewer = fewerPictures(messages, limits);
    expect(kept(fewer)).toEqual(left);
    expect(fewerPictures(fewer, limits)).toBe(fewer);
    if (left.length === sides.length) expect(fewer).toBe(messages);
    expect(JSON.stringify(fewer)).toContain('"text":"0"');
  });

  it("those above so many characters of base64, also inside a result that is a block", () => {
    const [small, large] = [png(9), png(9, 300)];
    const source = (data: string) => ({ type: "image", source: { type: "base64", media_type: "image/png", data } });
    const messages = [
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [source(small), source(large)] }] },
    ];
    const text = JSON.stringify(fewerPictures(messages, { bytes: large.length - 1 }));
    expect(text).toContain(small);
    expect(text).not.toContain(large);
    expect(fewerPictures(messages, { bytes: large.length })).toBe(messages);
  });
});

it("documents become words, and a picture beside them stays", () => {
  const messages = [{ role: "user", content: [{ type: "document", source: {} }, picture(png(9))] }];
  const [message] = withoutDocuments(messages) as { content: { type: string }[] }[];
  expect(message!.content.map(({ type }) => type)).toEqual(["text", "image"]);
});

describe("the longest side is read from", () => {
  const jpeg = (height: number, width: number, fill = 0): string => {
    const bytes = Buffer.alloc(60 + fill, 0xff);
    bytes.set([0xff, 0xd8, 0xff, 0xe0, 0, 16], 0);
    bytes.set([0xff, 0xc2, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255], 20 + fill);
    return bytes.toString("base64");
  };
  const webp = Buffer.alloc(40);
  webp.write("RIFF....WEBPVP8X", 0, "latin1");
  webp.writeUIntLE(1279, 24, 3);
  webp.writeUIntLE(719, 27, 3);
  const gif = Buffer.alloc(40);
  gif.write("GIF89a", 0, "latin1");
  gif.writeUInt16LE(320, 6);
  gif.writeUInt16LE(480, 8);
  it.each([
    ["a PNG", png(2560), 2560],
    ["a PNG in a data URL", `data:image/png;base64,${png(2560)}`, 2560],
    ["a JPEG behind its first segment", jpeg(1400, 900), 1400],
    ["a JPEG with bytes that fill", jpeg(1400, 900, 3), 1400],
    ["a WebP", webp.toString("base64"), 1280],
    ["a GIF", gif.toString("base64"), 480],
    ["nothing else", Buffer.alloc(90, 7).toString("base64"), undefined],
    ["a JPEG that ends early", jpeg(1, 1).slice(0, 30), undefined],
    ["a JPEG of marks without end", Buffer.alloc(90_000, 0xff).fill("ffd8", 0, 2, "hex").toString("base64"), undefined],
  ])("%s", (_what, data, side) => {
    expect(longestSide(data)).toBe(side);
  });
});
