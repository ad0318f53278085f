import { expect, test } from "vitest";
import { isTour, parseArguments, UsageError, type StartOptions } from "./arguments.ts";

function options(...argv: string[]): StartOptions {
  const parsed = parseArguments(argv);
  if ("help" in parsed) throw new Error("it is a help text");
  return parsed.options;
}

test("shows the tour on whatever is installed when nothing is asked for", () => {
  expect(options()).toEqual({
    releases: undefined,
    all: false,
    stock: true,
    way: "apply",
    errors: false,
    turnTimeoutMs: 60_000,
  });
  expect(isTour(options())).toBe(true);
  expect(isTour(options("--release", "2026.2.3", "--no-stock", "--way", "register", "--json", "r.json"))).toBe(true);
  for (const argv of [["--all"], ["--only", "q"], ["--api", "chat"], ["session.jsonl"]])
    expect(isTour(options(...argv))).toBe(false);
});

test("takes every option", () => {
  expect(
    options(
      "--release",
      "all",
      "--only",
      "^q-",
      "--api",
      "chat",
      "--api",
      "anthropic-messages",
      "--all",
      "--no-stock",
      "--way",
      "register",
      "--json",
      "r.json",
      "--patience",
      "90",
    ),
  ).toEqual({
    releases: ["2026.9.6", "2026.2.3"],
    only: /^q-/i,
    apis: ["openai-completions", "anthropic-messages"],
    all: true,
    stock: false,
    way: "register",
    turnTimeoutMs: 90_000,
    errors: false,
    json: "r.json",
  });
  expect(options("mine.jsonl", "--json")).toMatchObject({ session: "mine.jsonl", json: true });
});

test("prints its help", () => {
  const parsed = parseArguments(["--help"]);
  expect("help" in parsed && parsed.help).toContain("--release <release>");
});

test.each([
  [["--release", "2026.1.1"], /expected --release 2026\.9\.6, 2026\.2\.3 or all; found 2026\.1\.1/],
  [["--api", "smtp"], /expected --api with one of anthropic, chat/],
  [["--only", "("], /expected a regular expression after --only/],
  // Would write the report over a transcript.
  [["--json", "session.jsonl"], /expected a file that ends in \.json after --json; found session\.jsonl/],
  [["session.jsonl", "--only", "q"], /expected --only or a transcript; found both/],
  [["a.jsonl", "b.jsonl"], /too many arguments/],
  [["--patience", "soon"], /expected a number of seconds after --patience; found soon/],
  [["--patience", "-1"], /expected a number of seconds after --patience; found -1/],
  [["--way", "magic"], /argument 'magic' is invalid/],
  [["--fast"], /unknown option '--fast'/],
])("refuses %j", (argv, message) => {
  expect(() => parseArguments(argv)).toThrow(UsageError);
  expect(() => parseArguments(argv)).toThrow(message);
});
