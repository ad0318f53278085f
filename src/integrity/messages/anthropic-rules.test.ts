import { expect, test } from "vitest";
import { furtherRefusals } from "./anthropic-rules.ts";

test("a stored history may end with the assistant, whatever white space it ends in", () => {
  const messages = [
    { role: "user", content: "a" },
    { role: "assistant", content: "so: \n" },
  ];
  expect(furtherRefusals([], messages)).toEqual([]);
});
