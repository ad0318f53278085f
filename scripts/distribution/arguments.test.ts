import { expect, test } from "vitest";
import { LATEST } from "../../src/patching/releases.ts";
import { parseArguments, UsageError } from "./arguments.ts";

test("without arguments: the latest release, number 1", () => {
  expect(parseArguments([])).toEqual({ options: { release: LATEST, number: 1 } });
});

test.each(["0", "-1", "1.5", "two", "01"])("number %s would give a name that npm or people misread", (number) => {
  expect(() => parseArguments([`--number=${number}`])).toThrow(UsageError);
});

test("unknown options are refused with the way to the help, and the help names all options", () => {
  expect(() => parseArguments(["--nmber", "2"])).toThrow(/unknown option '--nmber'.*npm run dist -- --help/s);
  expect(parseArguments(["--help"])).toMatchObject({ help: expect.stringMatching(/--release.*--number.*--out/s) });
});
