import { expect, test } from "vitest";
import type { ProofReport, Rehearsed } from "../../prove/index.ts";
import { judgeRehearsal, reportLines, type Findings } from "./report.ts";

const run = (passed: Readonly<Record<string, boolean>>, more: Partial<Rehearsed> = {}): Rehearsed => ({
  sessions: Object.entries(passed).map(([id, isPassed]) => ({
    id,
    fault: "",
    passed: isPassed,
    outcome: isPassed ? "answered" : "0 of 2 messages answered",
    answered: isPassed ? 2 : 0,
    messages: 2,
    lost: [],
  })),
  store: { form: "database", version: 9 },
  ...more,
});
const PROVEN = { verdict: "proven", sentence: "proven: 7 of 7" } as ProofReport;

const found = (more: Partial<Findings> = {}): Findings => ({
  root: "/opt/openclaw",
  release: "2026.2.3",
  next: "2026.9.6",
  copies: {
    sessions: ["a", "b"].map((id) => ({
      id,
      key: `agent:main:${id}`,
      fault: "why",
      sessionId: id,
      file: "",
      latest: [],
    })),
    all: 9,
    unread: 0,
    form: "files",
  },
  unpatched: run({ a: false, b: true }),
  patched: { ...run({ a: true, b: true }), proof: PROVEN },
  ...more,
});

const told = (findings: Findings): string =>
  reportLines(findings, judgeRehearsal(findings, "/home/me/.openclaw")).join("\n");

test("what is answered only with the patch is fine, and is said of both", () => {
  const findings = found();
  expect(judgeRehearsal(findings, "/s").verdict).toBe("fine");
  expect(told(findings)).toMatch(/ok {4} {2}agent:main:a \(why\)\n.*without the patch: 0 of 2.*\n.*with it: answered/);
  expect(told(findings)).toContain("without the patch: 1 of 2 would not be answered as they should");
});

test("a session that is not answered with the patch, a refuted proof and a release that does not start break something", () => {
  const open = found({ patched: { ...run({ a: true, b: false }), proof: PROVEN } });
  const refuted = found({ patched: { ...run({ a: true, b: true }), proof: { ...PROVEN, verdict: "patch" } } });
  const ended = found({ patched: { ...run({}, { failure: "OpenClaw ended (1)" }), proof: PROVEN } });
  for (const findings of [open, refuted, ended]) expect(judgeRehearsal(findings, "/s").verdict).toBe("breaks");
  expect(told(ended)).toContain("with the patch: OpenClaw ended (1)");
});

test("a release that cannot be patched is judged without the patch", () => {
  const refused = { patched: { refusal: "expected x; found y." } };
  expect(judgeRehearsal(found(refused), "/s").verdict).toBe("breaks");
  expect(judgeRehearsal(found({ ...refused, unpatched: run({ a: true, b: true }) }), "/s").verdict).toBe("fine");
});

test("a store that the release of today cannot read is told with the copy that the way back needs, and no other", () => {
  expect(told(found())).toContain(
    "its store is newer: sessions move from files into a database. Going back to 2026.2.3 needs a copy that you " +
      "make before the new one starts: cp -a /home/me/.openclaw /home/me/.openclaw.before-2026.9.6",
  );
  const copies = found().copies;
  const rows = (version: number): Findings => found({ copies: { ...copies, form: "database", version } });
  expect(told(rows(7))).toContain("the database goes from version 7 to 9");
  expect(told(rows(9))).not.toContain("newer");
});

test("a session without an answer in time is not known to be broken: a loaded machine is slow with every release", () => {
  const late = run({ a: true, b: false });
  const sessions = late.sessions.map((one) => (one.passed ? one : { ...one, isLate: true as const }));
  const findings = found({ patched: { ...late, sessions, proof: PROVEN } });
  expect(judgeRehearsal(findings, "/s").verdict).toBe("unknown");
  expect(told(findings)).toContain("It is not known whether the update would break something");
});
