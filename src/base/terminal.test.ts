import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

const MODULE = JSON.stringify(new URL("terminal.ts", import.meta.url).href);

/** What a program that uses it prints, as a process of its own. */
function run(
  script: string,
  shell = "",
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const command = [
    process.execPath,
    "--no-warnings",
    "--input-type=module",
    "-e",
    `const { say, complain, printJson, foreignToStandardError, standardOutput, whenSaid } = await import(${MODULE});${script}`,
  ];
  return shell === ""
    ? spawnSync(command[0]!, command.slice(1), { encoding: "utf8" })
    : spawnSync("bash", ["-c", `set -o pipefail; "$@" ${shell}`, "bash", ...command], { encoding: "utf8" });
}

it("a line is one line, whatever is in it; JSON is the same value", () => {
  const { stdout, stderr } = run(
    String.raw`say(["one\ntwo", "\u001b[31mred\u202e"]); say([]); complain("\u009b2J\r"); printJson({ text: "\u009b\u202e\u2028\u007f" });`,
  );
  expect(stdout).toBe(String.raw`one\u000atwo
\u001b[31mred\u202e
{
  "text": "\u009b\u202e\u2028\u007f"
}
`);
  expect(stderr).toBe("\\u009b2J\\u000d\n");
});

it("what other code logs goes to standard error without its colours, with nothing that acts; the outcome alone is on standard output", () => {
  const { stdout, stderr } = run(String.raw`
    foreignToStandardError(); foreignToStandardError();
    console.log("\u001b[33mlog of\u001b[39m %s", "a\u001b[2Jkey\u202e");
    process.stdout.write(Buffer.from("bytes\u009b2J\n"), () => process.stderr.write("called\n"));
    console.error("error\r");
    say(["outcome"]);
    standardOutput().write("question\n");
    whenSaid(() => process.exit(3));`);
  expect(stdout).toBe("outcome\nquestion\n");
  expect(stderr).toBe("log of a\\u001b[2Jkey\\u202e\nbytes\\u009b2J\nerror\\u000d\ncalled\n");
});

it("a reader that has seen enough, as head does, is no fault", () => {
  expect(run('for (let at = 0; at < 50_000; at++) say(["line " + at]);', "| head -n 1")).toMatchObject({
    stdout: "line 0\n",
    stderr: "",
  });
});
