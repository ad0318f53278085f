import { expect, it, vi } from "vitest";
import { logLine } from "../guard/base/log.ts";
import { makeLogger } from "./log.ts";

it("a line of the plugin or of the guard is one line of OpenClaw's log, in which nothing acts on the terminal", () => {
  const said: string[] = [];
  makeLogger(
    {
      info: (text) => void said.push(text),
      warn: (text) => void said.push(text),
      error: (text) => void said.push(text),
    },
    "info",
  ).warn("session \u001b[2Ja\nb\u202e");
  const warn = vi.spyOn(console, "warn").mockImplementation((text: string) => void said.push(text));
  logLine("session \u009b2J\u2028");
  warn.mockRestore();
  expect(said).toEqual([
    "clawos-l0: session \\u001b[2Ja\\u000ab\\u202e",
    "[openclaw-integrity] session \\u009b2J\\u2028",
  ]);
});
