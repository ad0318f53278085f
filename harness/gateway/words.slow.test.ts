import { describe } from "vitest";
import { sharePeopled } from "./peopled.ts";
import { silence } from "./silence-cases.ts";
import { endsInWords, endsInWordsInTime, HISTORIES } from "./words-cases.ts";

describe("people and a patched gateway of OpenClaw 2026.2.3", () => {
  const peopled = sharePeopled("2026.2.3", HISTORIES, 4);
  endsInWords(peopled, "channel");
  endsInWords(peopled, "client");
  endsInWordsInTime(peopled);
  silence(peopled, "2026.2.3");
});

// What 2026.9.6 asks again by itself, or compacts in its own way; the rest: words.heavy.test.ts.
describe("people and a patched gateway of OpenClaw 2026.9.6", () => {
  const peopled = sharePeopled("2026.9.6", HISTORIES, 8);
  endsInWords(peopled, "channel", /^(?:nothing but|a full window before|a compaction)/);
  endsInWords(peopled, "client", /^nothing but thinking/);
});
