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
    `delete process.env.FORCE_COLOR; delete process.env.NO_COLOR; const { say, complain, printJson, Toned, outputSetAside, setOtherOutputAside, standardOutput, whenSaid } = await import(${MODULE});${script}`,
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

it("a line is in colour where the stream has some, and nowhere else; a line of others has none", () => {
  const lines = String.raw`say([new Toned("bad\u001b[32m", "bad"), "\u001b[32mother"]); complain("refused", "bad");`;
  const ending = String.raw`\u001b[32m`;
  const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;
  const shown = (isColoured: boolean): object => {
    const [bad, refused] = [`bad${ending}`, "refused"].map((text) => (isColoured ? red(text) : text));
    return { stdout: `${bad}\n${ending}other\n`, stderr: `${refused}\n` };
  };
  const terminal =
    "process.stdout.isTTY = process.stderr.isTTY = true; process.env.TERM = 'xterm'; delete process.env.CI;";
  expect(run(lines)).toMatchObject(shown(false));
  expect(run(`${terminal} ${lines}`)).toMatchObject(shown(true));
  for (const none of ["NO_COLOR = '1'", "NODE_DISABLE_COLORS = '1'", "FORCE_COLOR = '0'", "TERM = 'dumb'"])
    expect(run(`${terminal} process.env.${none}; ${lines}`), none).toMatchObject(shown(false));
  expect(run(`process.env.FORCE_COLOR = "1"; ${lines}`)).toMatchObject(shown(true));
});

it("a reader that has seen enough, as head does, is no fault", () => {
  expect(run('for (let at = 0; at < 50_000; at++) say(["line " + at]);', "| head -n 1")).toMatchObject({
    stdout: "line 0\n",
    stderr: "",
  });
});
