import { expect, test } from "vitest";
import { isWord } from "./json.ts";

test("takes for a word what the APIs' pattern takes: an id with another character is refused there", () => {
  for (let code = 0; code < 0x10000; code++) {
    const text = `a${String.fromCharCode(code)}`;
    if (isWord(text, 8) !== /^[a-zA-Z0-9_-]{1,8}$/.test(text)) expect.fail(`code ${code}`);
    // Names of tools that OpenClaw replays.
    if (isWord(text, 8, "_-.:") !== /^[A-Za-z0-9_:.-]{1,8}$/.test(text)) expect.fail(`code ${code} of a name`);
  }
  expect(["", "a".repeat(8), "a".repeat(9), "a\n", 7, undefined].map((text) => isWord(text, 8))).toEqual([
    false,
    true,
    false,
    false,
    false,
    false,
  ]);
});
