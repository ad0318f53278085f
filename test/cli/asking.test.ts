/** A person is asked before anything is changed, and need not say yes. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { newFolder } from "../../harness/temporary.ts";
import { hashTree } from "../patching/fixture.ts";
import { projectWith, userEnvironment } from "./fixture.ts";

/** Makes the pipes of a process look like a terminal to its own code. */
const TERMINAL = "--import=data:text/javascript,process.stdin.isTTY=process.stdout.isTTY=true";

test.each([
  ["setup", "n\n"],
  ["setup", ""],
  ["plugin install", "\n"],
])("%s, answered with %j: one line, exit code 1, and nothing was changed", async (command, input) => {
  const { folder, root } = await projectWith("2026.9.6");
  const home = newFolder();
  const before = hashTree(root);
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...command.split(" ")], {
    cwd: folder,
    env: { ...userEnvironment(home), NODE_OPTIONS: TERMINAL },
    input,
    encoding: "utf8",
  });
  expect({ status, stderr, end: stdout.split("\n").slice(-2) }).toEqual({
    status: 1,
    stderr: "",
    end: [expect.stringMatching(/cancelled; nothing was changed$/), ""],
  });
  expect([hashTree(root), existsSync(join(home, ".openclaw"))]).toEqual([before, false]);
});
