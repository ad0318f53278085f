/** The command `test-agent` as it is built: what it prints, writes, and ends with. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { patience } from "../../harness/patience.ts";
import { newFolder } from "../../harness/temporary.ts";
import { isAlive } from "../../src/base/processes.ts";

const ROOT = join(import.meta.dirname, "../..");
const AGENT = ["--", process.execPath, join(ROOT, "test/conformance/agents/small-agent.mjs")];
const schema = JSON.parse(readFileSync(join(ROOT, "docs/agent-cases.schema.json"), "utf8")) as {
  $defs: Record<"input" | "report", object>;
};
/** A part of the schema, which refers to the others. */
const definition = (name: "input" | "report"): z.ZodType =>
  z.fromJSONSchema({ ...schema.$defs[name], $defs: schema.$defs } as Parameters<typeof z.fromJSONSchema>[0]);

function run(...args: string[]): { readonly status: number | null; readonly out: string; readonly errors: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, "dist/cli.mjs"), "test-agent", ...args], {
    encoding: "utf8",
    timeout: patience(120_000),
  });
  return { status, out: stdout, errors: stderr };
}

it("ends with 0 where the agent conforms, and says so", () => {
  expect(run("--only", "healthy", ...AGENT, "shrugs")).toEqual({
    status: 0,
    out: "✓ healthy/a-valid-conversation\n✓ healthy/a-turn-with-two-calls\nThe agent conforms: 2 cases passed.\n",
    errors: "",
  });
});

it("ends with 1 where the agent does not conform: a build that tests it stops", () => {
  const { status, out } = run("--only", "a-valid-conversation", ...AGENT, "mumbles");
  expect([status, out]).toEqual([
    1,
    "✗ healthy/a-valid-conversation\n    no_answer: its output has not the model's answer\n" +
      "The agent does not conform: 1 of 1 case failed.\n  no_answer: 1\n",
  ]);
});

it.each([
  [[], "expected an agent; found none. Name its command, as in: -- node agent.mjs, or its --url"],
  [["--only", "no-such", "--", "true"], 'expected --only to name cases; found no id with "no-such"'],
  [["--url", "localhost:1"], 'expected --url to be an address as http://127.0.0.1:3000/; found "localhost:1"'],
  [["--html", "/no/such/folder/page.html", "--", "true"], "expected a folder /no/such/folder for the page; found no"],
  [["--", "no-such-command"], "expected a command that starts the agent; found no-such-command: spawn"],
  [["--", "true"], "expected a request to a model in the first case; found none; its output has not"],
  [["--url", "http://127.0.0.1:1/"], "expected an agent that listens at 127.0.0.1:1; found none"],
  [["--provider-port", "99999", "--", "true"], "A port of at most 65535 is needed."],
] as const)("ends with 2 for %j, and says what to do: nothing is known of the agent", (args, message) => {
  const { status, out, errors } = run(...args);
  expect([status, out]).toEqual([2, ""]);
  expect(errors).toContain(message);
});

it("prints a report as JSON, by the schema of the cases", () => {
  const { status, out } = run("--json", "--only", "one-of-two-results", ...AGENT, "cancels");
  const report = JSON.parse(out) as { cases: unknown[] };
  expect(status).toBe(1);
  expect(definition("report").safeParse(report)).toEqual({ success: true, data: report });
  expect(report).toMatchObject({ ok: false, conforms: false, failed: 1, cases: [{ outcome: "failed", requests: 1 }] });
});

it("prints the cases as lines, and starts no agent for that", () => {
  const { status, out } = run("--cases", "--form", "gemini", "--only", "recorded");
  const lines = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { form: string; kind: string });
  expect(status).toBe(0);
  expect(lines.map(({ form, kind }) => `${form} ${kind}`)).toEqual(Array<string>(3).fill("gemini recorded"));
});

it("gives the agent what the schema says", () => {
  const seen = join(newFolder(), "seen.json");
  const copy = `fs.copyFileSync(process.env.TEST_AGENT_CASE, ${JSON.stringify(seen)})`;
  expect(run("--only", "a-valid", "--", process.execPath, "-e", copy).status).toBe(2);
  const input: unknown = JSON.parse(readFileSync(seen, "utf8"));
  expect(definition("input").safeParse(input)).toEqual({ success: true, data: input });
});

it.skipIf(process.platform === "win32")("ends the agent when it is interrupted, and keeps nothing of it", async () => {
  const folder = newFolder();
  const wait = `fs.writeFileSync("pid", process.pid + " " + process.env.TEST_AGENT_CASE); setInterval(() => {}, 1000)`;
  const kit = spawn(process.execPath, [join(ROOT, "dist/cli.mjs"), "test-agent", "--", process.execPath, "-e", wait], {
    cwd: folder,
    stdio: "ignore",
  });
  const ended = once(kit, "exit");
  const read = (): string[] =>
    existsSync(join(folder, "pid")) ? readFileSync(join(folder, "pid"), "utf8").split(" ") : [];
  await expect.poll(read, { timeout: patience(30_000) }).toHaveLength(2);
  const [pid, file] = read();
  kit.kill("SIGINT");
  expect(await ended).toEqual([130, null]);
  await expect.poll(() => isAlive(Number(pid)), { timeout: patience(5000) }).toBe(false);
  expect(existsSync(file!)).toBe(false);
});

it("shows what an agent says so that nothing of it acts, in the terminal and on the page", () => {
  const page = join(newFolder(), "page.html");
  const hostile = `console.error("\\u001b[2J<script>alert(1)</script>\\u202e"); process.exitCode = 3;`;
  const ask = `await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", body: "{}" });`;
  const { status, out } = run(
    "--html",
    page,
    "--only",
    "a-valid",
    "--",
    process.execPath,
    "--input-type=module",
    "-e",
    ask + hostile,
  );
  expect(status).toBe(1);
  const html = readFileSync(page, "utf8");
  for (const character of "\u001b\u202e") expect([out, html].join()).not.toContain(character);
  expect(html).not.toMatch(/<script/);
  expect(html).toContain("The agent does not conform: 1 of 1 case failed.");
});
