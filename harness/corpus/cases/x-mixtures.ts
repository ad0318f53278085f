/** Several shapes in one transcript, and the big ones: nobody's session breaks in only one way. */
import {
  aborted,
  assistant,
  assistantRaw,
  call,
  withParent,
  compaction,
  customMessage,
  digest,
  failed,
  image,
  labelled,
  lines,
  message,
  mirror,
  missingResult,
  modelChange,
  partialCall,
  result,
  synthetic,
  SYNTHETIC,
  text,
  thinking,
  tool,
  toolu,
  unexpectedResult,
  unmarked,
  user,
  type CaseSpec,
  type Row,
} from "../builder.ts";
import { calendar, deploy, files, pleas, rounds, search, shell, weather, whatsapp } from "../chats.ts";

const id = (name: string): string => toolu(`x/${name}`);
const sixty = Array.from({ length: 60 }, (_, n) => n);

/** Sixty results as a crash of a busy gateway leaves them: every seventh missing, the odd ones first, some twice. */
const scattered: Row[] = [...sixty.filter((n) => n % 2 === 1), ...sixty.filter((n) => n % 2 === 0), 3, 8, 25]
  .filter((n) => n % 7 !== 0)
  .map((n) => result(id(`sixty/${n}`), "web_fetch", `{{MARK-x1 page ${n} has ${100 + n} words}}`));

/** About 200 KB that does not compress into a few repeated lines. */
const HUGE = lines(
  2_560,
  (n) =>
    `2026-02-${10 + (n % 18)}T${String(n % 24).padStart(2, "0")}:00:00Z gateway[${n}] ${digest(`log/${n}`).toString("base64")} ok`,
);

export const mixtures: CaseSpec[] = [
  {
    id: "x-sixty-parallel-calls",
    title: "Sixty parallel calls: results out of order, some twice, some missing, a mirror and a user message between",
    report: "openclaw#30044",
    reported: "2026-02-28",
    error: missingResult("3", id("sixty/0")),
    rows: [
      ...weather("x1"),
      user("Fetch all sixty pages. {{MARK-x1 sixty pages}}"),
      assistant([
        "Fetching. {{MARK-x1 fetching sixty}}",
        ...sixty.map((n) => call(id(`sixty/${n}`), "web_fetch", { url: `https://pages.example/${n}` })),
      ]),
      ...scattered.slice(0, 20),
      mirror("Still fetching (progress note)"),
      ...scattered.slice(20, 45),
      user("How far are you? {{MARK-x1 how far}}"),
      ...scattered.slice(45),
      assistant(["Nearly all. {{MARK-x1 fifty-one of sixty}}"]),
    ],
  },
  {
    id: "x-huge-result-out-of-place",
    title: "A tool result of 200 KB, stored behind a mirror, and an invented one in its place",
    report: "openclaw#8221",
    reported: "2026-02-03",
    error: missingResult("3", id("huge")),
    mustNotReach: [SYNTHETIC],
    rows: [
      user("Show me the whole log. {{MARK-x2 whole log}}"),
      assistant([call(id("huge"), "exec", { command: "journalctl -u openclaw" })]),
      synthetic(id("huge"), "exec"),
      mirror("Reading the log. (reading)"),
      result(id("huge"), "exec", `{{MARK-x2 first line of the log}}\n${HUGE}\nend of the log`),
      assistant(["Nothing unusual. {{MARK-x2 all lines ok}}"]),
      ...calendar("x2"),
    ],
  },
  {
    id: "x-a-hard-week",
    title: "Aborted call, mirror, crash, model switch with foreign ids, blank rows and a late result in one session",
    report: "measured",
    reported: "2026-11-21",
    error: unexpectedResult("14.content.0", id("week/1")),
    rows: [
      assistant(["Good morning! {{MARK-x3 Monday greeting}}"]),
      ...shell("x3"),
      aborted([partialCall(id("week/1"), "exec", {}, '{"comm')]),
      synthetic(id("week/1"), "exec"),
      user("Tuesday: call the plumber. {{MARK-x3 Tuesday plumber}}"),
      assistant([text(""), call(id("week/2"), "message", { to: "plumber" })]),
      mirror("Dear plumber (mirror to plumber)"),
      user([text(" ")]),
      result(id("week/2"), "message", "{{MARK-x3 plumber replied yes}}"),
      modelChange("openrouter", "moonshotai/kimi-k2.5"),
      user("Mittwoch: Rechnung. {{MARK-x3 Mittwoch Rechnung}}"),
      assistant([thinking("rechnung"), call("functions.exec:0", "exec.run", { command: "ledger" })], {
        api: "openai-completions",
        provider: "openrouter",
        model: "moonshotai/kimi-k2.5",
      }),
      result("functions.exec:0", "exec.run", "{{MARK-x3 Rechnung 2026-88}}"),
      assistantRaw("{{MARK-x3 Wednesday answer as a string}}"),
      user("Thursday: deploy. {{MARK-x3 Thursday deploy}}"),
      assistant([
        "Deploying. {{MARK-x3 two steps}}",
        call(id("week/4"), "exec", { command: "build" }),
        call(id("week/5"), "exec", { command: "push" }),
      ]),
      result(id("week/5"), "exec", "{{MARK-x3 pushed to production}}"),
      user("Friday: are we live? {{MARK-x3 Friday live}}"),
      result(id("week/4"), "exec", "{{MARK-x3 build took 88 s}}"),
      failed([], "terminated"),
      ...pleas("x3", unexpectedResult("14.content.0", id("week/1"))),
    ],
  },
  {
    id: "x-compacted-twice-and-crashed",
    title: "Two compactions with split pairs, a half-written call, a crash tail",
    report: "openclaw#9724",
    reported: "2026-02-05",
    error: unexpectedResult("2.content.0", id("twice/1")),
    rows: [
      ...unmarked(rounds("x4", 20)),
      labelled("first", result("toolu_01nobodyCalled", "exec", "left over")),
      compaction("Twenty errands.", "first"),
      ...unmarked(search("x4")),
      user("Next"),
      assistant([call(id("twice/1"), "exec", { command: "next" })]),
      labelled("second", result(id("twice/1"), "exec", "next done")),
      assistant(["Done. {{MARK-x4 next is done}}"]),
      compaction("{{MARK-x4 second summary of the week}}", "second"),
      failed([partialCall(id("twice/2"), "write", {}, '{"pa')], "terminated"),
      synthetic(id("twice/2"), "write"),
      user("Save it again. {{MARK-x4 save it again}}"),
      ...tool(id("twice/3"), "write", { path: "week.md" }, "{{MARK-x4 week.md saved}}"),
      assistant(["Now the upload. {{MARK-x4 upload starts}}", call(id("twice/4"), "exec", { command: "upload" })]),
    ],
  },
  {
    id: "x-every-language-every-damage",
    title: "Right-to-left text, emoji and combining characters inside displaced, doubled and odd-id results",
    report: "measured",
    reported: "2026-11-21",
    error: missingResult("3", "קריאה-1"),
    mustNotReach: [SYNTHETIC],
    rows: [
      ...whatsapp("x5"),
      user("תבדוק את המלאי {{מלאי במחסן 17}}"),
      assistant([call("קריאה-1", "exec", { command: "מלאי" }), call("functions.読む:1", "read", { path: "在庫.txt" })]),
      mirror("בודק… (ביניים 5)"),
      result("functions.読む:1", "read", "{{在庫は四十二個です}} 🦞"),
      user("และราคาล่ะ {{ราคาปลีก ๙๙ บาท}}"),
      result("קריאה-1", "exec", "{{נותרו 42 יחידות}}"),
      result("קריאה-1", "exec", "{{נותרו 42 יחידות}}"),
      assistant(["{{יש 42 יחידות, 99 บาท, お買い得}} 👩🏽‍💻"]),
      ...weather("x5"),
    ],
  },
  {
    id: "x-long-session-many-wounds",
    title: "A session of 400 messages with a wound every few turns, old and new",
    report: "openclaw#16823",
    reported: "2026-02-15",
    error: unexpectedResult("44.content.1", id("long/0/cut")),
    rows: Array.from({ length: 12 }, (_, n): Row[] => {
      const cutId = id(`long/${n}/cut`);
      const wounds: Row[][] = [
        [failed([partialCall(cutId, "exec", {}, "{")], "terminated"), synthetic(cutId, "exec")],
        [user(`Anyone? {{MARK-x6 anyone ${n} end}}`), assistant([])],
        [mirror(`Note ${n} (note ${n} end)`), result(`toolu_01orphan${n}`, "exec", "nobody asked")],
        [
          assistant([call(cutId, "read", { path: `${n}` })]),
          mirror("…"),
          result(cutId, "read", `{{MARK-x6 wound ${n} healed}}`),
        ],
      ];
      return [...rounds("x6", 8, 8, n * 8), ...wounds[n % wounds.length]!];
    }).flat(),
  },
  {
    id: "x-foreign-transcript-in-pieces",
    title: "API-format blocks, unknown blocks, odd types and broken images together",
    report: "measured",
    reported: "2026-11-21",
    error: "Cannot read properties of undefined (reading 'replace')",
    rows: [
      user([{ type: "input_text", text: "{{MARK-x7 imported question}}" }, { type: "image" }]),
      assistant(
        [
          { type: "output_text", text: "{{MARK-x7 imported answer}}" },
          { type: "tool_use", id: "toolu_01imp", name: "web.fetch", input: null },
        ],
        { stopReason: "toolUse" },
      ),
      user([
        { type: "tool_result", tool_use_id: "toolu_01imp", content: "{{MARK-x7 imported result}}" },
        { type: "attachment", text: "{{MARK-x7 imported attachment}}" },
      ]),
      message({
        role: "assistant",
        content: [{ type: "thinking" }, text("{{MARK-x7 second answer}}"), image("", "image/gif")],
      }),
      customMessage("import-note", "{{MARK-x7 note of the import}}"),
      user([{ type: "text" }, text("{{MARK-x7 last question}}")]),
      ...deploy("x7"),
    ],
  },
  {
    id: "x-side-branch-holds-the-call",
    title: "The call is on a side branch; the live branch goes on with its result",
    report: "openclaw#25411",
    reported: "2026-02-24",
    error: unexpectedResult("4.content.0", id("side")),
    rows: [
      ...calendar("x8").map((row, n, all) => (n === all.length - 1 ? labelled("fork", row) : row)),
      user("Try the first way"),
      assistant([call(id("side"), "exec", { command: "first way" })]),
      withParent("fork", result(id("side"), "exec", "first way works")),
      assistant(["It works. {{MARK-x8 it works}}"]),
      ...files("x8"),
    ],
  },
];
