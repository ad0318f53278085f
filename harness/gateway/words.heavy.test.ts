import { describe } from "vitest";
import { sharePeopled } from "./peopled.ts";
import { silence } from "./silence-cases.ts";
import { endsInWords, endsInWordsInTime, HISTORIES } from "./words-cases.ts";

// All of what words.slow.test.ts plays on 2026.2.3.
describe("people and a patched gateway of OpenClaw 2026.9.6", () => {
  const peopled = sharePeopled("2026.9.6", HISTORIES, 8);
  endsInWords(peopled, "channel");
  endsInWords(peopled, "client");
  endsInWordsInTime(peopled);
  silence(peopled, "2026.9.6");
});
