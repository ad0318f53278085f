import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { newSessionFiles, type Run } from "./fixture.ts";

describe("sessions repair, with transcripts that are files", () => {
  let folder: string;
  let run: (...args: string[]) => Run;
  beforeEach(() => {
    ({ folder, run } = newSessionFiles());
    for (const id of ["one", "two"])
      writeFileSync(
        join(folder, `${id}.jsonl`),
        toTranscript([user("go"), says("yes"), result("toolu_lost", "of nothing")], { seed: id }),
      );
    writeFileSync(join(folder, "sound.jsonl"), toTranscript([user("go"), says("yes")]));
    writeFileSync(join(folder, "sessions.json"), "{}");
  });
  const readTranscript = (id: string): string => readFileSync(join(folder, `${id}.jsonl`), "utf8");

  test("one session: says what it had, what it has, and the command that takes the repair back; that command does", () => {
    const before = readTranscript("one");
    const { status, stdout } = run("repair", "one");
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^session one is repaired: valid\n {2}it had: a tool result without a call\n {2}done: 1 tool result left the conversation\n {2}the original is kept; .*:\n {4}openclaw-integrity sessions restore (\S+)\n$/,
    );
    expect(readTranscript("two")).not.toBe("");
    expect(run("scan", "--all").stdout).toContain("1 with faults");
    expect(run("restore", /restore (\S+)/.exec(stdout)![1]!).status).toBe(0);
    expect(readTranscript("one")).toBe(before);
  });

  test("--all: every one with faults and no other; a second time there is nothing to do", () => {
    const sound = readTranscript("sound");
    const dry = run("repair", "--all", "--dry-run").stdout;
    expect(dry.match(/would do: 1 tool result left the conversation/g)).toHaveLength(2);
    expect(dry).toContain("2 sessions: 2 would be repaired");
    expect(readdirSync(folder)).toHaveLength(4);
    expect(run("repair", "--all", "--json")).toMatchObject({
      status: 0,
      data: { total: 2, refused: 0, sessions: [{ action: "repaired" }, { action: "repaired" }] },
    });
    expect(run("scan", "--all").status).toBe(0);
    expect(run("repair", "--all").stdout).toBe("no session has faults\n");
    expect(run("repair", "sound").stdout).toBe("session sound is valid, nothing to do\n");
    expect(readTranscript("sound")).toBe(sound);
  });

  test("a session that OpenClaw is answering in is refused, and does not stop the others", () => {
    writeFileSync(
      join(folder, "one.jsonl.lock"),
      JSON.stringify({ pid: process.pid, createdAt: new Date().toISOString() }),
    );
    expect(run("repair", "one", "--json")).toMatchObject({ status: 1, data: { code: "session-busy" } });
    const { status, data, stdout } = run("repair", "--all", "--json");
    expect({ status, data }).toMatchObject({ status: 3, data: { total: 2, refused: 1 } });
    expect(run("repair", "--all").status).toBe(1);
    expect(stdout).toContain('"action": "repaired"');
  });

  test("says how it is used", () => {
    expect(run("repair", "--json")).toMatchObject({
      status: 2,
      data: { code: "usage", message: expect.stringContaining("found neither") },
    });
    expect(run("repair", "one", "--all", "--json")).toMatchObject({
      status: 2,
      data: { message: expect.stringContaining("found both") },
    });
    expect(run("repair", "one", "--strategy", "guess").status).toBe(2);
  });
});
