import { expect, test } from "vitest";
import { LATEST } from "../../src/patching/base/releases.ts";
import { parseArguments, UsageError } from "./arguments.ts";

test("without arguments: the latest release, number 1", () => {
  expect(parseArguments([])).toEqual({ options: { release: LATEST, number: 1 } });
});

test.each(["0", "-1", "1.5", "two", "01"])("number %s would give a name that npm or people misread", (number) => {
  expect(() => parseArguments([`--number=${number}`])).toThrow(UsageError);
});

test("a level of compression that gzip does not have is refused", () => {
  expect(parseArguments(["--compression", "1"])).toMatchObject({ options: { compression: 1 } });
  for (const level of ["0", "10", "fast"])
    expect(() => parseArguments(["--compression", level])).toThrow(/from 1 to 9; found/);
});

test("unknown options are refused with the way to the help, and the help names all options", () => {
  expect(() => parseArguments(["--nmber", "2"])).toThrow(/unknown option '--nmber'.*npm run dist -- --help/s);
  expect(parseArguments(["--help"])).toMatchObject({
    help: expect.stringMatching(/--release.*--number.*--out.*--compression/s),
  });
});
