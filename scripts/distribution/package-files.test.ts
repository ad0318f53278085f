import { expect, test } from "vitest";
import { withPackageFiles } from "./package-files.ts";

const TEXT = `{\n  "name": "openclaw",\n  "about": "caf\\u00e9",\n  "files": [\n    "dist/",\n    "!dist/x"\n  ]\n}`;

test("our files come in front, and not one other character changes", () => {
  expect(withPackageFiles(TEXT, ["guard.mjs", "plugins/"])).toBe(
    TEXT.replace('    "dist/"', '    "guard.mjs",\n    "plugins/",\n    "dist/"'),
  );
});

test("a package without a list ships everything anyway", () => {
  expect(withPackageFiles('{"name":"openclaw"}', ["guard.mjs"])).toBe('{"name":"openclaw"}');
});

test("a list of another form is refused, not left without our files", () => {
  expect(() => withPackageFiles('{"files":["dist/"]}', ["guard.mjs"])).toThrow(
    /expected package\.json to list its files one a line/,
  );
});
