/** OpenClaw's own resets on the real 2026.2.3, reached by a message that a program of the user's fails on. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import { transcriptPath } from "../../harness/corpus/case.ts";
import { FailingChat, type StoredSession } from "./chat.ts";

const ROLES = {
  error:
    'API Error: 400 messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
  shown: /^⚠️ Message ordering conflict\. I've reset the conversation/,
};
const FUNCTION_CALL = {
  error:
    "400 Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
  shown: /^⚠️ Session history was corrupted\. I've reset the conversation/,
};
const TRANSCRIPT = readFileSync(transcriptPath("i-user-after-user"), "utf8");

const session = (digit: string, file?: string): StoredSession => ({
  key: `agent:main:telegram:dm:${digit}`,
  id: `${digit.repeat(8)}-0000-4000-8000-000000000000`,
  transcript: TRANSCRIPT,
  ...(file === undefined ? {} : { file }),
});
const roles = session("1");
const functionCall = session("2");
// A name that leaves no room for an archive's.
const crowded = session("3", `${"3".repeat(240)}.jsonl`);

const fileName = ({ id, file }: StoredSession): string => file ?? `${id}.jsonl`;
const archiveFile = (stored: StoredSession): string =>
  `${fileName(stored)}.integrity-${createHash("sha256").update(TRANSCRIPT).digest("hex").slice(0, 12)}.bak`;

let folders = { stock: "", patched: "" };
beforeAll(async () => {
  folders = await ensurePatched("2026.2.3");
});

describe.each([
  { name: "stock", folder: () => folders.stock, integrity: "on", keeps: false },
  { name: "patched", folder: () => folders.patched, integrity: "on", keeps: true },
  { name: "patched and turned off", folder: () => folders.patched, integrity: "off", keeps: false },
])("a reset of OpenClaw 2026.2.3, $name", ({ folder, integrity, keeps }) => {
  let chat: FailingChat;
  beforeAll(() => {
    chat = new FailingChat(folder(), [roles, functionCall, crowded], { OPENCLAW_INTEGRITY: integrity });
  });
  afterAll(() => chat.close());

  test.each([
    { reset: "a role-ordering conflict", stored: roles, ...ROLES },
    { reset: "a function call turn out of place", stored: functionCall, ...FUNCTION_CALL },
  ])(
    `after $reset deletes the transcript and ${keeps ? "leaves the same bytes in an archive" : "leaves nothing"}`,
    async ({ stored, error, shown }) => {
      expect(await chat.send(stored.key, error)).toMatch(shown);
      expect(chat.sessionId(stored.key)).not.toBe(stored.id);
      expect(chat.files(stored.id)).toEqual(keeps ? { [archiveFile(stored)]: TRANSCRIPT } : {});
    },
  );

  test(`${keeps ? "keeps" : "deletes"} a transcript that cannot be archived`, async () => {
    expect(await chat.send(crowded.key, ROLES.error)).toMatch(ROLES.shown);
    expect(chat.sessionId(crowded.key)).not.toBe(crowded.id);
    expect(chat.files(crowded.id.slice(0, 8))).toEqual(keeps ? { [fileName(crowded)]: TRANSCRIPT } : {});
  });
});
