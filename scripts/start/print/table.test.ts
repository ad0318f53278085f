import { expect, test } from "vitest";
import { shown } from "./paint.ts";
import { layTable, columnWidths, type Column, type Row } from "./table.ts";
import { cut, pad, textWidth, wrap } from "./width.ts";

test("knows how wide text is on a terminal", () => {
  expect(textWidth("abc")).toBe(3);
  expect(textWidth("Köhler")).toBe(6);
  expect(textWidth("旅行メモ")).toBe(8);
  expect(textWidth("한국")).toBe(4);
  expect(textWidth("🚢")).toBe(2);
  expect(textWidth("👩‍👩‍👧")).toBe(2);
  // A combining accent takes no column.
  expect(textWidth("e\u0301")).toBe(1);
  expect(textWidth("الطلب")).toBe(5);
});

test("cuts, fills and wraps by columns", () => {
  expect(cut("旅行メモ", 5)).toBe("旅行…");
  expect(cut("short", 5)).toBe("short");
  expect(pad("旅行", 6)).toBe("旅行  ");
  expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
  expect(wrap("旅行メモ", 4)).toEqual(["旅行", "メモ"]);
  expect(wrap("toolu_0123456789", 6)).toEqual(["toolu_", "012345", "6789"]);
  expect(wrap("", 4)).toEqual([""]);
  // One character wider than the column must not go round for ever.
  expect(wrap("旅行", 1)).toEqual(["旅", "行"]);
});

const COLUMNS: Column[] = [{ title: "case", flex: 1 }, { title: "API" }, { title: "healed", flex: 1 }];
const ROWS: Row[] = [
  { heading: "A heading that is much too long for the table that it stands in" },
  { cells: [{ text: "a case with a long name" }, { text: "chat" }, { text: "displaced result, empty message" }] },
  { note: "a note that is much too long for the table that it stands in" },
  { cells: [{ text: "旅行メモ" }, { text: "gemini" }, { text: "–" }] },
];

test("gives every column its place, whatever is in it", () => {
  const lines = layTable(COLUMNS, ROWS, 44);
  expect(lines).toEqual([
    "case               API     healed",
    "",
    "A heading that is much too long for the tab…",
    "a case with a      chat    displaced result,",
    "long name                  empty message",
    "    a note that is much too long for the ta…",
    "旅行メモ           gemini  –",
  ]);
  expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(44);
});

test("leaves what a column does not need to the next one", () => {
  const rows: Row[] = [{ cells: [{ text: "x" }, { text: "chat" }, { text: "y".repeat(60) }] }];
  expect(columnWidths(COLUMNS, rows, 50)).toEqual([8, 4, 34]);
});

test("wraps what is wider than its column may be", () => {
  const rows: Row[] = [{ cells: [{ text: "x" }, { text: "chat gemini" }] }];
  expect(layTable([{ title: "case" }, { title: "API", max: 9 }], rows, 50)).toEqual([
    "case  API",
    "x     chat",
    "      gemini",
  ]);
});

test("what others wrote does nothing to the terminal, and takes the room that it shows", () => {
  const hostile = "a\u001b[2J\u202e\n";
  const lines = layTable(
    [{ title: "case" }],
    [{ cells: [{ text: hostile }] }, { heading: hostile }, { note: hostile }],
    40,
    (_, text) => `\u001b[1m${text}\u001b[22m`,
  );
  expect(lines.map(shown).map((line) => line.replaceAll("\u001b[1m", "").replaceAll("\u001b[22m", ""))).toEqual([
    "case",
    "a\\u001b[2J\\u202e\\u000a",
    "",
    "a\\u001b[2J\\u202e\\u000a",
    "    a\\u001b[2J\\u202e\\u000a",
  ]);
  expect(shown("\u001b[1mours\u001b[22m \u001b[2J\r")).toBe("\u001b[1mours\u001b[22m \\u001b[2J\\u000d");
});

test("colours words and not the space between them", () => {
  const rows: Row[] = [{ cells: [{ text: "a", style: "good" }, { text: "b" }, { text: "" }] }];
  const lines = layTable(COLUMNS, rows, 44, (style, text) => (style === undefined ? text : `<${style}>${text}</>`));
  expect(lines[1]).toBe("<good>a</>         b");
});
