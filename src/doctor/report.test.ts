import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { corpusTranscripts, State } from "../../test/doctor/state.ts";
import { result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { fitted, textWidth } from "./printable.ts";
import { briefPatchLines, briefSessionLines } from "./brief.ts";
import { reportLines } from "./report.ts";
import { ownCommand } from "../base/commands/own-command.ts";
import { shellWord } from "../base/commands/shell-word.ts";

const FAULTY = toTranscript([user("go"), says("yes"), result("toolu_lost", "of nothing")]);
/** Commands have to be copied as they are. */
const tooWide = (lines: readonly string[], columns: number): string[] =>
  lines.filter((line) => textWidth(line) > columns && !line.includes("openclaw-integrity "));

test.each([60, 80, 100, 120])(
  "every line fits a terminal of %d columns, whatever agents, conversations and sessions are called",
  async (columns) => {
    const state = new State();
    for (const [id, transcript] of corpusTranscripts()) state.put(id, transcript);
    for (const agent of ["a", "a-very-long-name-of-an-agent-that-nobody-can-read-at-once", "エージェント"]) {
      state.put("5b2d6a52-0000-4000-8000-000000000001", FAULTY, agent);
      state.index(
        {
          [`agent:${agent}:whatsapp:group:家族の旅行と写真と予定と買い物のグループ:${"thread".repeat(10)}`]:
            "5b2d6a52-0000-4000-8000-000000000001",
        },
        agent,
      );
    }
    state.incident("l0-incident-2026-11-20T08-12-44-120Z.json", {
      timestamp: "2026-11-20T08:12:44.120Z",
      sessionId: "q".repeat(200),
      issues: Array.from({ length: 30 }, (_, at) => ({ type: `kind_${at}` })),
      action: "repaired",
    });
    const lines = reportLines(await state.check({ isDrawn: false }), columns, true).map(String);
    const begin = lines.indexOf("") + 1;
    expect(tooWide(lines.slice(begin), columns)).toEqual([]);
    const table = lines.slice(begin, lines.indexOf("", begin));
    // Aligned: each column of the rule is where its heading is.
    const begins = [...table[1]!.matchAll(/-+/g)].map(({ index }) => index);
    expect(begins).toHaveLength(columns < 80 ? 5 : 7);
    expect(table.length).toBe(2 + corpusTranscripts().length + 3);
  },
);

test("of a thousand sessions the worst are listed, and what shows the others: a screen of them is read by nobody", async () => {
  const state = new State();
  for (let at = 0; at < 1000; at++) state.put(`s${at}`, toTranscript([user("go"), says("yes")]));
  state.put("worst", FAULTY);
  const checkup = await state.check({ isDrawn: false });
  const lines = reportLines(checkup, 100).map(String);
  expect(lines.length).toBeLessThan(50);
  expect(lines.findIndex((line) => line.includes("worst"))).toBe(lines.findIndex((line) => /^-+ /.test(line)) + 1);
  expect(lines).toContain("  and 981 sessions more: `--all` shows them");
  expect(reportLines(checkup, 100, true).filter((line) => /\(none\) /.test(String(line)))).toHaveLength(1001);
});

test("of two OpenClaws that are not patched both are named, each with its command; one that is not proven is told", async () => {
  const made = await new State().check({ isDrawn: false });
  const openclaws = ["/a", "/b"].map((root) => ({ release: "2026.9.6", root, path: root, patched: "no" as const }));
  const lines = briefSessionLines({ ...made, openclaws }, 100).map(String);
  for (const words of ["setup --path /a", "apply --path /b"])
    expect(lines).toContain(`  npx openclaw-integrity ${words}`);
  const unproven = { ...openclaws[0]!, patched: "files" as const, isUnproven: true as const };
  expect(briefPatchLines({ openclaws: [unproven] }, 100).join(" ")).toMatch(/not proven .*integrity prove --path \/a/);
});

describe("a command can be copied", () => {
  it("its words reach the program as they are, whatever they are, and nothing in them is carried out", () => {
    const word = fc
      .oneof(
        fc.string({ unit: "grapheme" }),
        fc.string({ unit: fc.constantFrom(..."'\"\\$`!;&|<>(){}[]*?~# \n\t\u001b\u202eabcdef0123456789é-") }),
      )
      .filter((text) => text !== "" && !text.includes("\0"));
    const words = [...fc.sample(word, 400), "$(touch x)", "'", "\\", "a\u001bf", "\u202e12", "-x", "--all"];
    // Where the quoting fails, the words are carried out: no program is to be found, and what is written goes away.
    const script = ["PATH=/nowhere", ...words.map((text) => `printf '%s\\0' ${shellWord(text)}`)].join("\n");
    expect(
      execFileSync("bash", ["-c", script], { encoding: "utf8", cwd: new State().directory }).split("\0").slice(0, -1),
    ).toEqual(words);
    for (const text of words) expect(shellWord(text)).not.toMatch(/\p{Cc}|[\u202a-\u202e]/u);
  });

  it("one that begins with a dash is no option", () => {
    expect(ownCommand("sessions repair", { argument: "--all" })).toBe(
      "npx openclaw-integrity sessions repair -- --all",
    );
    expect(ownCommand("sessions repair", { argument: "s", options: ["--agent", "a b"] })).toBe(
      "npx openclaw-integrity sessions repair --agent 'a b' s",
    );
  });

  it("names one session, also where several have its id", async () => {
    const state = new State();
    state.put("s", FAULTY, "one");
    const other = state.put("s", FAULTY, "other");
    state.put("alone", FAULTY);
    const commands = async (...options: Parameters<State["check"]>): Promise<unknown[]> =>
      (await state.check(...options)).sessions
        .map(({ remedy }) => remedy?.by === "repair" && remedy.command)
        .toSorted();
    expect(await commands()).toEqual(
      [
        expect.stringMatching(/repair \/.*\/one\/sessions\/s\.jsonl$/),
        `npx openclaw-integrity sessions repair ${other}`,
        "npx openclaw-integrity sessions repair alone",
      ].toSorted(),
    );
    expect(await commands({ agentId: "one" })).toEqual(["npx openclaw-integrity sessions repair --agent one s"]);
    expect(await commands({ only: other })).toEqual([`npx openclaw-integrity sessions repair ${other}`]);
  });
});

test("a text takes the columns it is given, however wide its characters are", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.integer({ min: 1, max: 40 }),
      (text, columns) => textWidth(fitted(text.replaceAll(/\p{C}/gu, ""), columns)) === columns,
    ),
  );
  expect(fitted("家族の旅行", 6)).toBe("家族… ");
});
