/** A file is continued in the format that it has: a forgotten or wrong one would rewrite every message. */
import fc from "fast-check";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSessionIntegrity,
  JsonlSession,
  openJournal,
  type JsonlSessionOptions,
  type MessageFormat,
} from "../../src/integrity/index.ts";
import { detectFormat } from "../../src/integrity/sessions/stored-format.ts";
import { WRITERS } from "./messages.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stored-format-"));
  file = join(folder, "s.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

const FORMATS = ["anthropic", "openclaw"] as const;
const other = (format: MessageFormat): MessageFormat => (format === "anthropic" ? "openclaw" : "anthropic");
const turn = (format: MessageFormat): object[] => {
  const { user, says, calls, results } = WRITERS[format];
  return [user("Look"), calls("toolu_a"), ...results(["toolu_a", "seen"]), says("Done")];
};
const refusal = (words: RegExp) =>
  expect.objectContaining({ code: "bad-input", message: expect.stringMatching(words) as string }) as Error;

it("is not guessed for a new file: create needs it, and no file is made without it", () => {
  const create = JsonlSession.create as (path: string, options?: JsonlSessionOptions) => JsonlSession;
  for (const options of [undefined, {}, { format: undefined }])
    expect(() => create(file, options)).toThrow(refusal(/"anthropic" or "openclaw"; found undefined/));
  expect(() => readFileSync(file)).toThrow(/ENOENT/);
});

describe.each(FORMATS)("a file of %s's format", (format) => {
  const right = `Pass \\{ format: "${format}" \\}`;

  it("that create has made is opened in it, with words alone too, and in no other", async () => {
    await JsonlSession.create(file, { format }).append([WRITERS[format].user("Hello")]);
    expect(new JsonlSession(file).format).toBe(format);
    if (format === "anthropic")
      expect(() => new JsonlSession(file, { format: "openclaw" })).toThrow(refusal(new RegExp(right)));
  });

  it("whose first row does not name it is known by its calls: opened wrongly it is refused and stays as it is", async () => {
    await JsonlSession.create(file, { format }).append(turn(format));
    writeFileSync(file, readFileSync(file, "utf8").replace(',"format":"anthropic"', ""));
    const bytes = readFileSync(file);
    expect(() => new JsonlSession(file, { format: other(format) })).toThrow(refusal(new RegExp(right)));
    if (format === "anthropic")
      expect(() => new JsonlSession(file)).toThrow(refusal(/which is the default; .*tool|Pass/));
    expect(readFileSync(file)).toEqual(bytes);
    const session = new JsonlSession(file, { format });
    const journal = openJournal(":memory:");
    expect(createSessionIntegrity({ journal }).validate(session)).toEqual({ valid: true });
    journal.close();
  });

  it("that has calls of both formats is a corrupt one of the given format, for repair", async () => {
    await JsonlSession.create(file, { format }).append([...turn(format), ...turn(other(format))]);
    const session = new JsonlSession(file, { format });
    const journal = openJournal(":memory:");
    const integrity = createSessionIntegrity({ journal });
    await integrity.repair(session);
    expect(integrity.validate(session)).toEqual({ valid: true });
    journal.close();
  });
});

it("is said of any values without an error, and of no history of words", () => {
  fc.assert(
    fc.property(fc.array(fc.anything()), (messages) => {
      detectFormat(messages);
    }),
  );
  for (const format of FORMATS) {
    expect(detectFormat([WRITERS[format].user("Hello"), WRITERS[format].says("Hi")])).toBeUndefined();
    expect(detectFormat(turn(format))).toBe(format);
  }
});
