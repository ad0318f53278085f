import { expect, test } from "vitest";
import { LATEST } from "../../src/patching/base/releases.ts";
import { parseArguments, UsageError, type StartOptions } from "./arguments.ts";

function options(...argv: string[]): StartOptions {
  const parsed = parseArguments(argv);
  if ("help" in parsed) throw new Error("it is a help text");
  return parsed.options;
}

test("runs the corpus on the latest release when nothing is asked for", () => {
  expect(options()).toEqual({ releases: [LATEST], all: false, stock: true, way: "apply", errors: false });
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
    ),
  ).toEqual({
    releases: ["2026.9.6", "2026.2.3"],
    only: /^q-/i,
    apis: ["openai-completions", "anthropic-messages"],
    all: true,
    stock: false,
    way: "register",
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
  [["--way", "magic"], /argument 'magic' is invalid/],
  [["--fast"], /unknown option '--fast'/],
])("refuses %j", (argv, message) => {
  expect(() => parseArguments(argv)).toThrow(UsageError);
  expect(() => parseArguments(argv)).toThrow(message);
});
