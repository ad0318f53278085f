import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { patience } from "../../harness/patience.ts";
import { newFolder } from "../../harness/temporary.ts";

const ROOT = join(import.meta.dirname, "../..");
const EXAMPLES = join(ROOT, "examples");
/** durable-steps.ts needs PostgreSQL, and is run by test/continuity/dbos-example.slow.test.ts. */
const programs = readdirSync(EXAMPLES).filter((name) => name.endsWith(".ts") && name !== "durable-steps.ts");

/** What each of them must have said. */
const SAID: Record<string, RegExp> = {
  "after-a-crash.ts": /outcome: 'unknown'[^]*may have run/,
  "agent-loop.ts": /It is noon; how warm it is I cannot tell[^]*^4 messages, valid: true$/m,
  "chat-completions.ts":
    /"role":"system"[^]*"role":"tool","tool_call_id":"call_0"[^]*"type":"tool_use","id":"call_0","name":"weather","input":{"city":"Oslo"}[^]*^valid: true$/m,
  "checkpoints.ts": /^1 message off the path, 1 on it/m,
  "repair.ts": /^remove_orphan toolu_gone in message 2$/m,
  "stored-session.ts": /^1 repaired; nothing is wrong now$/m,
  "unfinished-work.ts":
    /^Next step: "Copy from 1201 on"$[^]*announced again: false; the first time it was { mail: 'sent' }\n9 events, 0 damaged/m,
  "worker.ts": /title is rendered\n[^]*index is rendered\n/,
};

// They import the package by its name: what is tested is what was built.
describe("the examples", () => {
  it("are all known here", () => {
    expect(programs).toEqual(Object.keys(SAID));
  });

  it("compile against the types that a user gets", () => {
    const compiler = join(createRequire(import.meta.url).resolve("typescript/package.json"), "../bin/tsc");
    execFileSync(process.execPath, [compiler, "--noEmit", "-p", EXAMPLES], { stdio: "pipe", encoding: "utf8" });
  });

  it.each(programs)("%s runs", (name) => {
    const given = name === "worker.ts" ? [join(newFolder(), "worker.sqlite")] : [];
    expect(
      execFileSync(process.execPath, [join(EXAMPLES, name), ...given], { stdio: "pipe", encoding: "utf8" }),
    ).toMatch(SAID[name]!);
  });

  it("worker.ts goes on where a killed one was, without waiting for the end of its lease", async () => {
    const args = [join(EXAMPLES, "worker.ts"), join(newFolder(), "worker.sqlite")];
    const first = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    await once(first.stdout, "data");
    const second = promisify(execFile)(process.execPath, args);
    first.kill("SIGKILL");
    expect((await second).stdout).toMatch(/title is rendered, as an earlier worker did\n[^]*index is rendered\n/);
  });

  it("the agent's loop ends, and tells the model, also when every tool throws", () => {
    const clock = 'if (name === "clock") return { output: "12:00" };';
    const program = readFileSync(join(EXAMPLES, "agent-loop.ts"), "utf8");
    expect(program).toContain(clock);
    const said = execFileSync(
      process.execPath,
      ["--input-type=module-typescript", "--eval", program.replace(clock, "")],
      { cwd: ROOT, stdio: "pipe", encoding: "utf8", timeout: patience(30_000) },
    );
    expect(said).toMatch(/The hour I cannot tell; how warm it is I cannot tell[^]*^4 messages, valid: true$/m);
  });
});
