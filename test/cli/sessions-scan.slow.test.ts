import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { transcriptPath } from "../../harness/corpus/case.ts";
import { result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { newSessionFiles, type Run } from "./fixture.ts";

const HEALTHY = toTranscript([user("a secret question"), says("an answer")]);
const ORPHANED = toTranscript([user("a secret question"), says("an answer"), result("toolu_lost", "of nothing")]);

describe("the commands that look at stored sessions", () => {
  let stateDir: string;
  let folder: string;
  let run: (...args: string[]) => Run;
  beforeEach(() => {
    ({ stateDir, folder, run } = newSessionFiles());
    put("healthy", HEALTHY);
    put("orphaned", ORPHANED);
    writeFileSync(
      join(folder, "sessions.json"),
      JSON.stringify({
        "agent:main:main": { sessionId: "orphaned", updatedAt: 1 },
        "agent:main:unwritten": { sessionId: "unwritten" },
      }),
    );
  });

  const put = (id: string, transcript: string): void => writeFileSync(join(folder, `${id}.jsonl`), transcript);
  const json = (...args: string[]): Run => run(...args, "--json");

  test("scan: faults by session, nothing of what was said, exit code 3; then only what was written to since", () => {
    const first = run("scan");
    expect(first).toMatchObject({ status: 3, stderr: "" });
    expect(first.stdout).toMatch(
      /^orphaned \(agent:main:main\): 1 fault: a tool result without a call\n2 sessions in .*, 2 read, in \d+ ms: 1 with faults\n$/,
    );
    expect(json("scan")).toMatchObject({ status: 3, data: { ok: false, read: 0, corrupt: 1, total: 2 } });
    appendFileSync(join(folder, "healthy.jsonl"), "no JSON\n");
    put("new", HEALTHY);
    const third = json("scan");
    expect(third.data).toMatchObject({ read: 2, total: 3 });
    expect(third.stdout).not.toContain("secret");
    rmSync(join(folder, "orphaned.jsonl"));
    expect(run("scan")).toMatchObject({ status: 0, stdout: expect.stringContaining("2 sessions") });
    expect(json("scan", "--all").data).toMatchObject({ read: 2 });
    expect(readFileSync(join(stateDir, "openclaw-integrity-scan.json"), "utf8")).not.toMatch(/secret|orphaned/);
    expect(statSync(join(stateDir, "openclaw-integrity-scan.json")).mode & 0o777).toBe(0o600);
  });

  test("scan --all keeps what it has found: list and doctor would go on saying what an earlier scan has", () => {
    expect(json("scan", "--all").data).toMatchObject({ read: 2, corrupt: 1 });
    expect(json("scan").data).toMatchObject({ read: 0, corrupt: 1 });
    expect(run("list").stdout).not.toContain("not scanned");
  });

  test("a scan memory that is damaged, or cannot be written, costs no more than another reading", () => {
    writeFileSync(join(stateDir, "openclaw-integrity-scan.json"), '{"version":1,"sessions":[["x",{}],7');
    expect(json("scan").data).toMatchObject({ read: 2, warnings: [] });
    rmSync(join(stateDir, "openclaw-integrity-scan.json"));
    mkdirSync(join(stateDir, "openclaw-integrity-scan.json"));
    const { status, data } = json("scan");
    expect({ status, data }).toMatchObject({
      status: 3,
      data: { read: 2, warnings: [expect.stringContaining("could not be saved")] },
    });
  });

  test("a session that cannot be read is named and stops nothing", () => {
    rmSync(join(folder, "healthy.jsonl"));
    mkdirSync(join(folder, "healthy.jsonl"));
    put("locked", HEALTHY);
    chmodSync(join(folder, "locked.jsonl"), 0);
    const { data } = json("scan");
    // Root reads everything.
    expect(data).toMatchObject({ corrupt: 1, unread: process.getuid?.() === 0 ? 0 : 1 });
    mkdirSync(join(stateDir, "agents", "other", "agent"), { recursive: true });
    writeFileSync(join(stateDir, "agents", "other", "agent", "openclaw-agent.sqlite"), "no database");
    expect(json("scan")).toMatchObject({
      status: 3,
      data: { corrupt: 1, warnings: [expect.stringContaining("openclaw-agent.sqlite")] },
    });
    expect(json("scan", "--agent", "main")).toMatchObject({ status: 3, data: { warnings: [] } });
    expect(json("show", "nobody").data).toMatchObject({ message: expect.stringContaining("openclaw-agent.sqlite") });
  });

  test("list: the youngest first, with what the last scan found", () => {
    expect(json("list").data).toMatchObject({ total: 2, sessions: [{ kind: "file" }, { kind: "file" }] });
    expect(run("list").stdout).toMatch(/UTC {2}orphaned \(agent:main:main\) {2}not scanned/);
    expect(run("list").status).toBe(0);
    run("scan");
    expect(run("list")).toMatchObject({
      status: 3,
      stdout: expect.stringMatching(/orphaned \(agent:main:main\) {2}1 fault/),
    });
    expect(run("list").stdout).toMatch(/healthy \(no conversation uses it\) {2}valid/);
    expect(run("list", "--agent", "nobody")).toMatchObject({ status: 1, stdout: "" });
    expect(existsSync(join(stateDir, "openclaw-integrity.sqlite"))).toBe(false);
  });

  test("show: by id, by key, by file; what was said only when asked for", () => {
    for (const which of ["orphaned", "agent:main:main", join(folder, "orphaned.jsonl")]) {
      const { status, stdout } = run("show", which);
      expect(status).toBe(3);
      expect(stdout).toMatch(
        /^session orphaned \(agent:main:main\), transcript .*\n3 messages in the conversation: 1 fault\n {2}message 3, toolResult of read: a tool result without a call \(toolu_lost\)\n$/,
      );
    }
    expect(run("show", "orphaned", "--content").stdout).toContain('(toolu_lost): "of nothing"');
    expect(json("show", "healthy")).toMatchObject({ status: 0, data: { state: "sound", messages: 2 } });
    expect(json("show", "nobody")).toMatchObject({ status: 1, data: { code: "session-missing" } });
    // A file that belongs to no OpenClaw: the case study's `repair-session`.
    expect(json("show", transcriptPath("q-incident-message-32"))).toMatchObject({
      status: 3,
      data: { state: "faulty" },
    });
  });
});
