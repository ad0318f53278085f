import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { loadCorpus, transcriptPath } from "../../harness/corpus/case.ts";
import { openCatalog, findSummaryOrFile } from "../../src/store/index.ts";
import { ENTRY_WORDS, examine, describeState } from "../../src/health/index.ts";
import { UsageError } from "./arguments.ts";
import { describeOwn } from "./print/own-text.ts";
import { readOwn } from "./own.ts";
import { plain } from "./print/paint.ts";

const folder = newFolder();

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test("finds the violations of a transcript, with the line each is on", () => {
  const rows = [
    { type: "session", version: 3, id: "s", timestamp: "2026-02-05T00:00:00.000Z", cwd: "/" },
    {
      type: "message",
      id: "1",
      parentId: null,
      message: { role: "user", content: [{ type: "text", text: "private" }] },
    },
    {
      type: "message",
      id: "2",
      parentId: "1",
      message: {
        role: "toolResult",
        toolCallId: "toolu_1",
        toolName: "x",
        isError: false,
        content: [{ type: "text", text: "private" }],
      },
    },
  ];
  const own = readOwn(file("mine.jsonl", `${rows.map((row) => JSON.stringify(row)).join("\n")}\n{"torn`));
  expect(own).toMatchObject({
    messages: 2,
    damage: ["a last line that was cut off after 6 bytes, which OpenClaw skips"],
    violations: [{ kind: "orphaned_tool_result", messageIndex: 1, id: "toolu_1", line: 3 }],
  });
  const text = describeOwn(own, 100, plain).join("\n");
  expect(text).toContain("message 2 (line 3): a tool result without a call (toolu_1)");
  expect(text).not.toContain("private");
});

test("says of every case of the corpus what sessions show says", () => {
  const catalog = openCatalog(folder);
  const different = loadCorpus().filter(({ id }) => {
    const path = transcriptPath(id);
    const session = findSummaryOrFile(catalog, path);
    const shown = examine(catalog.read(session), session);
    const { messages, state, violations } = readOwn(path);
    const own = violations.map(({ line: _line, ...violation }) => violation);
    return (
      JSON.stringify([messages, state, own]) !==
      JSON.stringify([shown.messages, describeState(shown), shown.violations])
    );
  });
  catalog.close();
  expect(different.map(({ id }) => id)).toEqual([]);
});

test("reads every transcript of the kinds that are damaged as files", () => {
  expect(readOwn(transcriptPath("l-no-header")).damage).toContain(ENTRY_WORDS.missing_header);
  expect(readOwn(transcriptPath("l-garbage-between")).messages).toBeGreaterThan(3);
});

test.each([
  ["missing.jsonl", undefined, /found no such file/],
  ["empty.jsonl", "", /found an empty file/],
  ["notes.jsonl", "hello\n", /found no line that is a JSON object/],
  ["other.jsonl", '{"a":1}\n[2]\n', /found JSON objects, none of which is of a session/],
  [".", undefined, /found a folder/],
])("refuses %s", (name, text, message) => {
  const path = text === undefined ? join(folder, name) : file(name, text);
  expect(() => readOwn(path)).toThrow(UsageError);
  expect(() => readOwn(path)).toThrow(message);
});
