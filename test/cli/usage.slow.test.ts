import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { cli, newSessionFiles, userEnvironment } from "./fixture.ts";

const run = (args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
  cli(args, newFolder(), { ...userEnvironment(newFolder()), ...more });

test.each(["", "sessions", "sessions repair", "checkpoints", "timeline", "continuity", "plugin install", "setup"])(
  "the help of '%s' fits 80 columns",
  (command) => {
    const { status, stdout } = run([...command.split(" ").filter(Boolean), "--help"]);
    expect(status).toBe(0);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  },
);

test("--version and -v print the version", () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  for (const option of ["--version", "-v"]) expect(run([option])).toMatchObject({ status: 0, stdout: `${version}\n` });
});

test("a state directory, an agent, a folder for the page and an archive that are not there are named", () => {
  const { stateDir, run: sessions } = newSessionFiles();
  const gone = join(newFolder(), "gone");
  for (const args of [
    ["sessions", "list"],
    ["sessions", "scan"],
    ["sessions", "doctor"],
    ["checkpoints", "list"],
  ])
    expect(run([...args, "--json"], { OPENCLAW_STATE_DIR: gone })).toMatchObject({
      status: 1,
      data: { code: "state-missing", message: expect.stringContaining(gone) },
    });
  for (const command of ["list", "scan", "doctor"])
    expect(sessions(command, "--agent", "nobody", "--json")).toMatchObject({
      status: 1,
      data: { code: "agent-missing", message: expect.stringContaining("found main") },
    });
  expect(sessions("doctor", "--html", join(gone, "page.html"), "--json")).toMatchObject({
    status: 1,
    data: { message: expect.stringMatching(/found no such folder\. Make it \(mkdir -p/) },
  });
  expect(sessions("restore", join(stateDir, "one.jsonl.integrity-0123456789ab.bak"), "--json")).toMatchObject({
    status: 1,
    data: { code: "archive-missing" },
  });
});

test("before anything was recorded, continuity status says so and ends with 0; a store that was named must be there", () => {
  const { stateDir } = newSessionFiles();
  const env = { OPENCLAW_STATE_DIR: stateDir };
  expect(run(["continuity", "status"], env)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("no work has been recorded yet"),
  });
  expect(run(["continuity", "status", "--file", join(stateDir, "gone.sqlite")], env).status).toBe(1);
});

test("a command of a group, typed alone, is answered with its whole name: `doctor` is the first that a person tries", () => {
  for (const [typed, meant] of [
    ["doctor", "sessions doctor"],
    ["repair agent:main:main", "sessions repair"],
    ["rewind a b", "timeline rewind"],
  ] as const)
    expect(run(typed.split(" "))).toMatchObject({
      status: 2,
      stderr: `openclaw-integrity: unknown command '${typed.split(" ")[0]}'; it is \`openclaw-integrity ${meant}\`\n`,
    });
});

test("wrong usage is JSON too for a program that asked for JSON, and the help of a subcommand is its own", () => {
  for (const args of ["status --bogus", "setup --way foo", "sessions", "purge --older-than xx", "nosuch"]) {
    const { status, data, stderr } = run([...args.split(" "), "--json"]);
    expect({ args, status, data }).toMatchObject({ status: 2, data: { ok: false, code: "usage" } });
    expect(stderr).toMatch(/^openclaw-integrity: /);
  }
  expect(run(["help", "sessions", "doctor"])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Usage: openclaw-integrity sessions doctor/),
  });
  expect(run(["help", "sessions", "nosuch"])).toMatchObject({
    status: 2,
    stdout: "",
    stderr: expect.stringContaining("nosuch"),
  });
});
