/** `openclaw-integrity run` stands between a person and a command, and must not be felt. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { registerEnvironment } from "../../harness/openclaw/register.ts";
import { newFolder } from "../../harness/temporary.ts";
import { cli, userEnvironment, type Run } from "../cli/fixture.ts";

const { NODE_OPTIONS = "" } = registerEnvironment();
const run = (...args: string[]): Run => cli(["run", ...args], newFolder(), userEnvironment(newFolder()));

test("the command gets its words as they are, the hook, and what NODE_OPTIONS had before", () => {
  const script =
    "console.log(JSON.stringify([process.argv.slice(1), process.env.NODE_OPTIONS, process.env.OPENCLAW_INTEGRITY]))";
  const words = ["--path", "a b", "--", "-x", ""];
  expect(JSON.parse(run("--", "node", "-e", script, "--", ...words).stdout)).toEqual([words, NODE_OPTIONS, null]);
  expect(JSON.parse(run("--required", "node", "-e", script, "y").stdout)).toEqual([["y"], NODE_OPTIONS, "required"]);
  const env = { ...userEnvironment(newFolder()), NODE_OPTIONS: "--no-warnings" };
  expect(JSON.parse(cli(["run", "--", "node", "-e", script], newFolder(), env).stdout)).toEqual([
    [],
    `--no-warnings ${NODE_OPTIONS}`,
    null,
  ]);
});

test("its exit code is the command's, and a shell's where there is no command", () => {
  expect(run("--", "node", "-e", "process.exit(7)").status).toBe(7);
  expect(run("--", "sh", "-c", "kill -9 $$").status).toBe(137);
  expect(run("--", "no-such-command")).toMatchObject({
    status: 127,
    stderr: expect.stringContaining("expected a command that can be run; found no-such-command"),
  });
  expect(spawnSync(process.execPath, [MAIN, "run"], { encoding: "utf8" })).toMatchObject({ status: 2 });
});

test("a signal to it reaches the command, which ends in its own way", async () => {
  const script = 'process.on("SIGTERM", () => process.exit(9)); setInterval(() => {}, 1000); console.log("up");';
  const child = spawn(process.execPath, [MAIN, "run", "--", "node", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
    env: userEnvironment(newFolder()),
  });
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([9, null]);
});
