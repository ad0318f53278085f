import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { loadCorpus, transcriptPath } from "../../harness/corpus/case.ts";
import { result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { newSessionFiles, type Run } from "./fixture.ts";

const HEALTHY = toTranscript([user("a secret question"), says("an answer")]);
const ORPHANED = toTranscript([user("a secret question"), says("an answer"), result("toolu_lost", "of a secret")]);

describe("sessions doctor", () => {
  let stateDir: string;
  let folder: string;
  let page: string;
  let run: (...args: string[]) => Run;
  beforeEach(() => {
    ({ stateDir, folder, run } = newSessionFiles());
    page = join(newFolder(), "page.html");
  });

  const doctor = (...args: string[]): Run => run("doctor", ...args);
  const put = (id: string, transcript: string): void => writeFileSync(join(folder, `${id}.jsonl`), transcript);
  const putBoth = (): void => {
    put("healthy", HEALTHY);
    put("orphaned", ORPHANED);
    writeFileSync(
      join(folder, "sessions.json"),
      JSON.stringify({ "agent:main:telegram:dm:7": { sessionId: "orphaned", updatedAt: 1 } }),
    );
  };

  test("nothing there yet: said, exit code 0, also as a page", () => {
    const { status, stdout, stderr } = doctor("--html", page);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("There are no sessions yet: nothing to do.");
    expect(readFileSync(page, "utf8")).toContain("There are no sessions yet: nothing to do.");
    expect(existsSync(join(stateDir, "openclaw-integrity.sqlite"))).toBe(false);
  });

  test("table, faults and the command that mends them, and that command does; exit code 3, then 0", () => {
    putBoth();
    const { status, stdout, stderr } = doctor();
    expect({ status, stderr }).toEqual({ status: 3, stderr: "" });
    expect(stdout).toMatch(/^main {3}telegram:dm:7 {2,}1 fault {2,}3 {2,}- {2}\d{4}-\d\d-\d\d \d\d:\d\d {2,}0$/m);
    expect(stdout).toMatch(/^main {3}\(none\) healthy {2,}valid {2,}2 /m);
    expect(stdout).toMatch(
      /^Faults\n {2}orphaned \(main, telegram:dm:7\)\n {4}a tool result without a call\n {4}repair it:\n {6}openclaw-integrity sessions repair orphaned\n$/m,
    );
    expect(stdout).toMatch(/1 of 2 sessions has faults\. .*\n {2}openclaw-integrity sessions repair orphaned\n$/);
    expect(stdout).not.toContain("secret");
    expect(doctor("--content").stdout).toContain("message 3: of a secret");
    expect(run("repair", "orphaned").status).toBe(0);
    const after = doctor();
    expect(after).toMatchObject({ status: 0, stdout: expect.stringContaining("All 2 sessions are valid") });
    const [, command] =
      /^Archives that can be restored\n.*\n {4}it has a fault, which restoring it brings back\n {4}openclaw-integrity (sessions restore .*)$/m.exec(
        after.stdout,
      ) ?? [];
    expect(run(...command!.split(" ").slice(1)).status).toBe(0);
    expect(doctor().status).toBe(3);
  });

  test("the page: one file for its owner only, whole or not at all, with the conversations in it; nothing of what was said but with --content", () => {
    putBoth();
    expect(doctor("--html", page, "--quiet")).toMatchObject({ status: 3, stdout: "", stderr: "" });
    expect(statSync(page).mode & 0o777).toBe(0o600);
    const first = readFileSync(page, "utf8");
    expect(first).toMatch(/^<!DOCTYPE html>/);
    expect(first).toContain("✗ a tool result without a call");
    expect(first).not.toMatch(/secret|<script[^>]|https?:|@import|url\(/);
    doctor("--html", page, "--content");
    expect(readFileSync(page, "utf8")).toContain("of a secret");
    expect(readdirSync(join(page, ".."))).toEqual(["page.html"]);
    doctor("orphaned", "--html", page);
    expect(readFileSync(page, "utf8")).not.toContain("healthy");
    expect(doctor("--html", join(page, "..", "none", "page.html"), "--json")).toMatchObject({
      status: 1,
      data: { ok: false, code: "not-writable" },
    });
  });

  test("a slip does not put the page in the place of a transcript", () => {
    putBoth();
    expect(doctor("--html", join(folder, "healthy.jsonl"))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(".html"),
    });
    expect(readFileSync(join(folder, "healthy.jsonl"), "utf8")).toBe(HEALTHY);
  });

  test("changes nothing but its own memory, in whatever state the sessions are", () => {
    for (const { id } of loadCorpus()) cpSync(transcriptPath(id), join(folder, `${id}.jsonl`));
    mkdirSync(join(stateDir, "logs"));
    writeFileSync(join(stateDir, "openclaw-integrity.sqlite"), "damaged");
    const before = fingerprint(stateDir);
    const { status, stderr } = doctor("--html", page);
    expect({ status, stderr }).toEqual({ status: 3, stderr: "" });
    const after = fingerprint(stateDir);
    expect(after.delete("openclaw-integrity-scan.json")).toBe(true);
    expect(after).toEqual(before);
  });

  test("--json: everything that the report says", () => {
    putBoth();
    mkdirSync(join(stateDir, "logs"));
    writeFileSync(
      join(stateDir, "logs", "l0-incident-2026-11-20T08-12-44-120Z.json"),
      JSON.stringify({
        timestamp: "2026-11-20T08:12:44.120Z",
        sessionId: "orphaned",
        issues: [{ type: "orphaned_tool_result" }],
        action: "detected",
      }),
    );
    const { status, data, stdout } = doctor("--json", "--html", page);
    expect(status).toBe(3);
    expect(data).toMatchObject({
      ok: false,
      stateDirectory: stateDir,
      total: 2,
      corrupt: 1,
      unread: 0,
      archives: [],
      page,
      warnings: [],
      olderIncidents: 0,
      damagedIncidents: 0,
      incidents: [{ sessionId: "orphaned", what: "a tool result without a call", outcome: "nothing was done" }],
      journal: expect.stringMatching(/^No journal yet/),
      next: { sentence: expect.stringContaining("1 of 2"), command: "openclaw-integrity sessions repair orphaned" },
    });
    const sessions = data["sessions"] as Record<string, unknown>[];
    expect(sessions.find(({ sessionId }) => sessionId === "orphaned")).toMatchObject({
      state: "faulty",
      violations: [{ kind: "orphaned_tool_result", messageIndex: 2 }],
      incidents: 1,
      archives: 0,
      remedy: { by: "repair", command: "openclaw-integrity sessions repair orphaned" },
    });
    expect(stdout).not.toMatch(/secret|watermark|drawing/);
  });

  test("one session, one agent; a name that is nobody's is refused", () => {
    putBoth();
    expect(doctor("agent:main:telegram:dm:7", "--json").data).toMatchObject({
      total: 1,
      sessions: [{ sessionId: "orphaned" }],
    });
    expect(doctor(join(folder, "healthy.jsonl"))).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("The session is valid"),
    });
    expect(doctor("--agent", "nobody", "--json")).toMatchObject({ status: 1, data: { code: "agent-missing" } });
    expect(doctor("nobody", "--json")).toMatchObject({ status: 1, data: { code: "session-missing" } });
  });
});

/** The bytes of every file. */
function fingerprint(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  return new Map(
    files.map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex"),
    ]),
  );
}
