import { describe } from "vitest";
import { sharePeopled } from "./peopled.ts";
import { endsInWords, HISTORIES } from "./words-cases.ts";

// What words.slow.test.ts plays over a channel.
describe("a client of a patched gateway of OpenClaw 2026.9.6", () => {
  endsInWords(sharePeopled("2026.9.6", HISTORIES), "client");
});
