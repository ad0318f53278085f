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
    `const { say, complain, printJson, outputSetAside, setOtherOutputAside, standardOutput, whenSaid } = await import(${MODULE});${script}`,
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

it("what other code logs is shown only when it is asked for, its last lines, without what acts; the outcome alone is printed", () => {
  const { stdout, stderr } = run(String.raw`
    setOtherOutputAside(); setOtherOutputAside();
    for (let at = 0; at < 1000; at++) console.log("old " + at + "x".repeat(10000));
    console.log("\u001b[33mlog of\u001b[39m %s", "a\u001b[2Jkey\u202e");
    await new Promise((then) => process.stdout.write(Buffer.from("bytes\u009b2J\n"), then));
    console.error("error\r");
    process.stderr.write("no end");
    say(["outcome"]);
    for (const line of outputSetAside().slice(-4)) complain(line);
    if (outputSetAside().length > 41 || outputSetAside().join("").length > 21000) complain("too much is kept");
    standardOutput().write("question\n");
    whenSaid(() => process.exit(3));`);
  expect(stdout).toBe("outcome\nquestion\n");
  expect(stderr).toBe("log of a\\u001b[2Jkey\\u202e\nbytes\\u009b2J\nerror\nno end\n");
});

it("a reader that has seen enough, as head does, is no fault", () => {
  expect(run('for (let at = 0; at < 50_000; at++) say(["line " + at]);', "| head -n 1")).toMatchObject({
    stdout: "line 0\n",
    stderr: "",
  });
});
