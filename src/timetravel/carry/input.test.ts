import { expect, test } from "vitest";
import { inputInline } from "./input.ts";

// A call that is not undone is told to the agent: a line that does not say on what it acted invites a second one.
test.each([
  [
    "a tool with an action, and what it acts on under names of its own",
    { action: "begin", step_id: "pay-17", idempotency_key: "invoice-17" },
    'action "begin", step_id "pay-17", idempotency_key "invoice-17"',
  ],
  [
    "amounts, and yes or no",
    { action: "transfer", amount: 9000, iban: "DE02 1234", confirm: true },
    'action "transfer", amount 9000, iban "DE02 1234", confirm true',
  ],
  ["a name among others", { plan: "cancel", name: "Ada" }, 'name "Ada", plan "cancel"'],
  [
    "what lies deeper",
    { action: "send", mail: { to: ["a@b.c", "d@e.f"], subject: "Hi" } },
    'action "send", mail.to.0 "a@b.c", mail.to.1 "d@e.f", mail.subject "Hi"',
  ],
  ["a command, and where it ran", { workdir: "/srv", command: "make" }, '"make", workdir "/srv"'],
  ["a single telling value", { path: "a.md" }, '"a.md"'],
  ["a single other value", { amount: 5 }, "amount 5"],
  [
    "a long text and one of several lines, by their lengths",
    { path: "a.md", content: "z".repeat(5000), old: "a\nb" },
    'path "a.md", content of 5000 characters, old of 3 characters',
  ],
  [
    "no secret",
    { url: "https://x", headers: { Authorization: "Bearer abc" }, api_key: "k", max_tokens: 5 },
    'url "https://x", headers.Authorization ***, api_key ***, max_tokens 5',
  ],
  ["no secret that stands alone", { token: "abc" }, "token ***"],
  ["nothing of nothing", { action: " ", other: null, list: [] }, ""],
  ["a text", "do it", '"do it"'],
])("%s", (_, input, line) => {
  expect(inputInline(input)).toBe(line);
});

test("foreign names and texts stay on the line, and the line is bounded and says what it leaves out", () => {
  expect(inputInline({ "a\n> b": "x\u2028y" })).toBe(String.raw`"a\n> b" of 3 characters`);
  const many = Object.fromEntries(Array.from({ length: 150 }, (__, nth) => [`field-${nth}`, "x".repeat(100)]));
  const line = inputInline(many);
  expect(line.length).toBeLessThan(450);
  expect(line).toMatch(/, and 147 more$/);
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (__, nth) => [`field-${nth}`, nth]));
  expect(inputInline(wide)).toMatch(/ or more$/);
  let deep: unknown = "end";
  for (let level = 0; level < 100_000; level++) deep = { [`k${level}`]: deep };
  expect(inputInline(deep)).toBe("and more");
});
