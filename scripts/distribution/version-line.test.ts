import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { GUARD_FILE } from "../../src/patching/base/guard-file.ts";
import { unmark } from "../../src/patching/base/marks.ts";
import { withVersionLine } from "./version-line.ts";

let folder = "";
beforeEach(() => {
  folder = newFolder();
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, GUARD_FILE), "");
});

const PRINTS = `#!/usr/bin/env node\nfor (const line of JSON.parse(process.env.LINES)) console.log(line);\n`;

/** What a launcher that prints `lines` shows when it is called with `words`. */
function shown(release: string, lines: readonly string[], words: readonly string[]): string {
  const launcher = join(folder, "openclaw.mjs");
  writeFileSync(launcher, withVersionLine(PRINTS, release, 12));
  return execFileSync(process.execPath, [launcher, ...words], {
    encoding: "utf8",
    env: { ...process.env, LINES: JSON.stringify(lines) },
  });
}

test.each(["--version", "-V", "-v"])("%s names both versions on the line that names the release", (flag) => {
  expect(shown("2026.9.6", ["OpenClaw 2026.9.6 (eb377ac)"], [flag])).toBe(
    "OpenClaw 2026.9.6 (eb377ac) openclaw-integrity.12\n",
  );
  expect(shown("2026.9.6", ["OpenClaw 2026.9.6"], ["--profile", "two", flag])).toBe(
    "OpenClaw 2026.9.6 openclaw-integrity.12\n",
  );
});

test("a bare version stays one that programs can read", () => {
  expect(shown("2026.2.3", ["2026.2.3"], ["--version"])).toBe("2026.2.3+integrity.12\n");
  expect(shown("2026.2.3-1", ["2026.2.3-1"], ["--version"])).toBe("2026.2.3-1+integrity.12\n");
});

test("no other text is touched: another release, a sentence, another command", () => {
  const others = [
    "OpenClaw 2026.9.60",
    "OpenClaw 2026x9.6",
    "OpenClaw 2026.9.6 is out",
    "2026.9.6-beta.1",
    "see OpenClaw 2026.9.6",
  ];
  expect(shown("2026.9.6", others, ["--version"])).toBe(`${others.join("\n")}\n`);
  expect(shown("2026.9.6", ["OpenClaw 2026.9.6"], ["status"])).toBe("OpenClaw 2026.9.6\n");
});

test("an OpenClaw without the guard does not claim to have it", () => {
  rmSync(join(folder, GUARD_FILE));
  expect(shown("2026.9.6", ["OpenClaw 2026.9.6"], ["--version"])).toBe("OpenClaw 2026.9.6\n");
});

test("the line is one of ours: taking it out gives the published launcher, with or without a first line for the shell", () => {
  for (const launcher of [PRINTS, `import "./x.mjs";\n`]) {
    const changed = withVersionLine(launcher, "2026.9.6", 1);
    expect(unmark(changed).original).toBe(launcher);
    expect(changed.split("\n").length).toBe(launcher.split("\n").length + 1);
  }
  expect(withVersionLine(PRINTS, "2026.9.6", 1).split("\n")[0]).toBe("#!/usr/bin/env node");
});
