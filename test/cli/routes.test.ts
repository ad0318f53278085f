import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { newFolder } from "../../harness/temporary.ts";
import { journalFile, openJournal } from "../../src/journal/index.ts";
import { LATEST } from "../../src/patching/base/releases.ts";
import type { Run } from "./fixture.ts";
import { runHere } from "./in-process.ts";

const VLLM = "openai-completions vllm http://127.0.0.1:8000/v1 Qwen/Qwen3-VL";
const CLAUDE = "anthropic-messages anthropic https://api.anthropic.com claude-opus-4-5";
const DAY_MS = 86_400_000;

let stateDir: string;
const run = (...args: string[]): Promise<Run> => runHere(stateDir, args);
beforeEach(() => {
  stateDir = newFolder();
  mkdirSync(join(stateDir, "agents", "main", "sessions"), { recursive: true });
});

function learnSome(): void {
  const journal = openJournal(journalFile(stateDir));
  const at = Date.parse("2026-11-26T11:20:00Z");
  const now = Date.now();
  journal.learned.put("route", VLLM, "most_pictures", { most: 5, abilities: "k" }, Math.max(at, now - DAY_MS));
  journal.learned.put("route", VLLM, "no_developer_role", { abilities: "k" }, now);
  journal.learned.put("route", CLAUDE, "no_haiku", {}, now);
  journal.learned.put("route", "openai-completions old", "no_pictures", {}, now - 8 * DAY_MS);
  journal.learned.put("session", "s1", "form", {}, now);
  journal.close();
}

test("what is known of routes is listed with its time, and what no longer counts is not", async () => {
  learnSome();
  const { status, stdout } = await run("routes");
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /Qwen\/Qwen3-VL\n {2}takes 5 pictures in a request at most \(learned 20\d\d-\d\d-\d\d \d\d:\d\d UTC\)\n {2}does not know the role developer/,
  );
  expect(stdout).toContain(`${CLAUDE}\n  no_haiku (of another version)`);
  expect(stdout).not.toContain("old");
  expect((await run("routes", "list", "--json")).data).toMatchObject({
    routes: [{ name: CLAUDE }, { name: VLLM, facts: [{ what: "most_pictures", value: { most: 5 } }, {}] }],
  });
});

test("an empty state says that nothing is known, and no journal is made", async () => {
  expect((await run("routes")).stdout).toMatch(/^nothing is known of any route/);
  expect((await run("routes", "forget", "--all", "--json")).data).toMatchObject({ action: "already", routes: [] });
});

test("one route is forgotten by a part of its name that no other has, and others stay; --all forgets those too", async () => {
  learnSome();
  expect((await run("routes", "forget", "openai")).status).toBe(2);
  expect((await run("routes", "forget", "openai")).stderr).toContain("2 routes have that in their names");
  expect((await run("routes", "forget", "nobody")).stderr).toContain(
    "no route has that in its name; known are: anthropic",
  );
  expect((await run("routes", "forget")).status).toBe(2);
  expect((await run("routes", "forget", VLLM, "--all")).status).toBe(2);
  expect((await run("routes", "forget", "vllm", "--json")).data).toMatchObject({
    action: "forgotten",
    routes: [VLLM],
    facts: 2,
  });
  expect((await run("routes", "--json")).data).toMatchObject({ routes: [{ name: CLAUDE }] });
  expect((await run("routes", "forget", "--all")).stdout).toContain(`forgotten: ${CLAUDE}`);
  const journal = openJournal(journalFile(stateDir), { readOnly: true });
  expect(journal.learned.list("route")).toEqual([]);
  expect(journal.learned.list("session")).toHaveLength(1);
  journal.close();
});

test("the doctor and status show what was learned: a person sees why a picture was not sent", async () => {
  learnSome();
  const { stdout } = await run("sessions", "doctor");
  expect(stdout).toMatch(
    /Learned of the routes to models\n {2}openai-completions|Learned of the routes to models\n {2}anthropic/,
  );
  expect(stdout).toContain("takes 5 pictures in a request at most");
  expect((await run("sessions", "doctor", "--json")).data).toMatchObject({ routes: [{}, { name: VLLM }] });
  const { stock } = await ensureRelease(LATEST);
  expect((await run("status", "--path", stock, "--json")).data).toMatchObject({ routes: [{}, { name: VLLM }] });
  expect((await run("status", "--path", stock)).stdout).toContain("does not know the role developer");
});
