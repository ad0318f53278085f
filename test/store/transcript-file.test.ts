import { appendFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { JsonlSession } from "../../src/integrity/sessions/jsonl.ts";
import { TranscriptFile } from "../../src/store/sessions/transcript-file.ts";
import { says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";

let folder: string;
let file: string;

beforeEach(() => {
  folder = newFolder();
  file = join(folder, "session.jsonl");
});

const text = (): string => readFileSync(file, "utf8");

describe("a transcript file", () => {
  it("is read the same whatever the chunks cut through: long lines, characters of several bytes", () => {
    const messages = [
      user("é".repeat(700_000)),
      says("語".repeat(500_000)),
      user("x".repeat(2_500_000)),
      says("short"),
    ];
    writeFileSync(file, toTranscript(messages));
    expect(new JsonlSession(file).messages).toMatchObject(messages);
    expect(new JsonlSession(file).problems).toEqual([]);
  });

  it("without a header, with foreign lines and rows without ids: what can be reached is read, and each is said", () => {
    const [, ...rows] = toTranscript([user("one"), says("two")]).split("\n");
    writeFileSync(file, [rows[0], "no JSON", '{"type":"message","message":{}}', ...rows.slice(1)].join("\n"));
    const session = new JsonlSession(file);
    expect(session.messages.length).toBe(2);
    expect(session.problems).toEqual([
      expect.stringContaining("no header"),
      expect.stringContaining("1 line is not JSON"),
      expect.stringContaining("1 row has no id"),
    ]);
  });

  it("that another program has written to since is not written to: its rows would be cut off from the conversation", async () => {
    writeFileSync(file, toTranscript([user("one")]));
    const session = new JsonlSession(file);
    appendFileSync(
      file,
      `${JSON.stringify({ type: "message", id: "other", parentId: session.leafEntryId, message: says("two") })}\n`,
    );
    const before = text();
    await expect(session.append([user("three")])).rejects.toMatchObject({ code: "session-busy" });
    expect(text()).toBe(before);
    await session.reload();
    await session.append([user("three")]);
    expect(new JsonlSession(file).messages).toMatchObject([user("one"), says("two"), user("three")]);
  });

  it("cut off at any byte of an append: the messages of that append are there together or not at all, and the conversation goes on", async () => {
    const session = JsonlSession.create(file, { format: "openclaw" });
    await session.append([user("before")]);
    const start = Buffer.byteLength(text());
    await session.append([says("one"), user("two"), says("three")]);
    const whole = readFileSync(file);
    for (let end = start; end <= whole.length; end++) {
      writeFileSync(file, whole);
      truncateSync(file, end);
      const torn = new JsonlSession(file);
      // All that is missing from the last one may be its line feed.
      const isWhole = end >= whole.length - 1;
      expect(torn.messages.length, `cut off at ${end} of ${whole.length}`).toBe(isWhole ? 4 : 1);
      if (end % 7 !== 0) continue;
      await torn.append([user("after")]);
      const messages = new JsonlSession(file).messages;
      expect(messages.length).toBe(isWhole ? 5 : 2);
      expect(messages.at(-1)).toEqual(user("after"));
      expect(readFileSync(file).subarray(0, end).equals(whole.subarray(0, end)), "what was there was changed").toBe(
        true,
      );
    }
  });

  it("that is a folder, or not there: refused in words", () => {
    expect(() => new TranscriptFile(file)).toThrow(/expected a transcript at .*; found nothing there/);
    expect(() => new TranscriptFile(folder)).toThrow(/EISDIR/);
    writeFileSync(file, toTranscript([user("one")]));
    expect(() => JsonlSession.create(file, { format: "openclaw" })).toThrow(
      /expected no file at .*; found an existing file/,
    );
  });
});
