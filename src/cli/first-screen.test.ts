import { expect, it } from "vitest";
import { EXAMPLES } from "./examples.ts";
import { FIRST_SCREEN } from "./first-screen.ts";
import { program } from "./program.ts";

it("the first screen fits a small terminal, and its commands and options exist: a typo would be a person's first step", () => {
  const lines = FIRST_SCREEN.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  const shown = lines.filter((line) => line.startsWith("  openclaw-integrity ")).map((line) => line.trim().split(" "));
  expect(shown).toHaveLength(7);
  for (const [, ...words] of shown) {
    let command = program;
    for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command;
    expect(command, words.join(" ")).not.toBe(program);
    const known = command.options.map(({ long }) => long);
    for (const option of words.filter((word) => word.startsWith("--")))
      expect(known, words.join(" ")).toContain(option);
  }
});

it("the help of each command ends with an example of it, whose options exist", () => {
  const known = new Set<string>();
  for (const example of EXAMPLES) {
    let command = program;
    for (const word of example.split(" ")) {
      const next = command.commands.find((one) => one.name() === word);
      if (!next) break;
      command = next;
    }
    known.add(command.name());
    let help = "";
    command.configureOutput({ writeOut: (text) => void (help += text) }).outputHelp();
    expect(help).toMatch(/\nExample:\n {2}openclaw-integrity [^\n]+\n$/);
    expect(help).toContain(`openclaw-integrity ${example}`);
    const options = command.options.map(({ long }) => long);
    for (const option of example
      .split(" -- ")[0]!
      .split(" ")
      .filter((word) => word.startsWith("--")))
      expect(options, example).toContain(option);
  }
  expect(known.size).toBeGreaterThan(30);
});
