import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { reasonIn, runStep } from "./step.ts";

test("a build of somebody else that fails says which step, and why, not only that it failed", async () => {
  const folder = newFolder();
  const program = "console.log('copying'); console.error('ENOTFOUND codeload.github.com'); process.exitCode = 3";
  const step = { name: "install", program: process.execPath, args: ["-e", program], folder, env: process.env };
  await expect(runStep({ ...step, log: join(folder, "logs", "install.log") })).rejects.toMatchObject({
    step: "install",
    reason: "ENOTFOUND codeload.github.com",
  });
});

test("pnpm's own last line is no reason", () => {
  expect(reasonIn("one\nasset missing\n ELIFECYCLE  Command failed with exit code 254.\n")).toBe("asset missing");
});
