/** Class L: damage to the file itself: header, lines, and the tree of entries. */
import { assistant, withParent, message, rawLine, user, type CaseSpec, type JsonObject } from "../builder.ts";
import { calendar, deploy, files, search, shell, weather, whatsapp } from "../chats.ts";

/** Rewrites every line but the header. */
const eachEntry =
  (change: (entry: JsonObject) => JsonObject) =>
  ([first, ...rest]: string[]): string[] => [
    first!,
    ...rest.map((line) => JSON.stringify(change(JSON.parse(line) as JsonObject))),
  ];

const header =
  (change: (header: JsonObject) => JsonObject) =>
  ([first, ...rest]: string[]): string[] => [JSON.stringify(change(JSON.parse(first!) as JsonObject)), ...rest];

const without = (entry: JsonObject, ...keys: string[]): JsonObject =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => !keys.includes(key)));

/** Puts lines behind the first few entries. */
const between =
  (...foreign: string[]) =>
  (lines: string[]): string[] =>
    lines.toSpliced(4, 0, ...foreign);

const UNMIGRATED = "legacy session transcripts require doctor/import migration";

export const fileLevel: CaseSpec[] = [
  {
    id: "l-no-header",
    title: "The header line is missing",
    report: "measured",
    reported: "2026-11-21",
    error: UNMIGRATED,
    rows: [...shell("l1"), ...calendar("l1")],
    file: (lines) => lines.slice(1),
  },
  {
    id: "l-header-version-1",
    title: "Header of version 1: entries without id and parent",
    report: "measured",
    reported: "2026-11-21",
    error: UNMIGRATED,
    rows: [...search("l2"), ...weather("l2")],
    file: (lines) =>
      header((first) => without(first, "version"))(eachEntry((entry) => without(entry, "id", "parentId"))(lines)),
  },
  {
    id: "l-header-version-2",
    title: "Header of version 2, with a message of the old role hookMessage",
    report: "measured",
    reported: "2026-11-21",
    error: UNMIGRATED,
    rows: [
      ...deploy("l3"),
      message({ role: "hookMessage", customType: "reminder", content: "hook text", display: false }),
      user("Go on. {{MARK-l3 go on}}"),
      assistant(["Yes. {{MARK-l3 yes}}"]),
    ],
    file: header((first) => ({ ...first, version: 2 })),
  },
  {
    id: "l-header-cut-short",
    title: "The header line was cut short by a crash, every other line is whole",
    report: "openclaw#89037",
    also: ["openclaw#89065"],
    reported: "2026-06-01",
    error: "none: the file is replaced by a new one with only a header",
    rows: [...files("l4"), ...whatsapp("l4")],
    file: ([first, ...rest]) => [first!.slice(0, 47), ...rest],
  },
  {
    id: "l-header-second",
    title: "The header is the second line",
    report: "measured",
    reported: "2026-11-21",
    error: UNMIGRATED,
    rows: [...calendar("l5"), ...shell("l5")],
    file: ([first, second, ...rest]) => [second!, first!, ...rest],
  },
  {
    id: "l-last-line-torn",
    title: "The last line was only half written",
    report: "openclaw#100644",
    reported: "2026-07-06",
    error: "SyntaxError: Unterminated string in JSON",
    rows: [
      ...deploy("l6"),
      ...search("l6"),
      rawLine(
        '{"type":"message","id":"0dd0a1b2","parentId":"77aa01c3","timestamp":"2026-07-06T08:20:00.000Z","message":{"role":"assistant","content":[{"type":"text","text":"I was just abo',
      ),
    ],
  },
  {
    id: "l-garbage-between",
    title: "Garbage, an empty line and half a line between the entries",
    report: "openclaw#100644",
    reported: "2026-07-06",
    error: "SyntaxError: Unexpected token '@'",
    rows: [...weather("l7"), ...files("l7")],
    file: between("@@@ disk full @@@", "", '{"type":"mess'),
  },
  {
    id: "l-foreign-json-between",
    title: "Lines that are JSON but no entries: a number, null, a string, a list, an empty object",
    report: "measured",
    reported: "2026-11-21",
    error: "Cannot read properties of null (reading 'type')",
    rows: [...shell("l14"), ...search("l14")],
    file: between("42", "null", '"text"', "[]", "{}"),
  },
  {
    id: "l-line-lost-between",
    title: "The line of one entry is garbage, and so the next entry's parent does not exist",
    report: "openclaw#64287",
    reported: "2026-04-10",
    error: "none: what lies before is forgotten",
    rows: [
      ...shell("l8"),
      ...whatsapp("l8"),
      rawLine('{"type":"message","id":"5bad11ne","parentId":'),
      ...calendar("l8"),
    ],
  },
  {
    id: "l-parent-does-not-exist",
    title: "Entries whose parent id exists nowhere: the branch ends there, what lies before is forgotten",
    report: "openclaw#64287",
    reported: "2026-04-10",
    error: "none: what lies before is forgotten",
    rows: [
      ...search("l9"),
      withParent("nowhere", user("And the tram? {{MARK-l9 tram line five}}")),
      assistant(["Every ten minutes. {{MARK-l9 ten minutes}}"]),
      withParent("elsewhere", user("Good. {{MARK-l9 good}}")),
      ...deploy("l9"),
    ],
  },
  {
    id: "l-entry-ids-missing",
    title: "A header of version 3, but no entry has an id or a parent",
    report: "measured",
    reported: "2026-11-21",
    error: "none: the history is silently lost",
    rows: [...files("l10"), ...weather("l10")],
    file: eachEntry((entry) => without(entry, "id", "parentId")),
  },
  {
    id: "l-entry-ids-identical",
    title: "All entries have the same id and no parent",
    report: "measured",
    reported: "2026-11-21",
    error: "none: the history is silently lost",
    rows: [...calendar("l11"), ...search("l11")],
    file: eachEntry((entry) => ({ ...entry, id: "00000000", parentId: null })),
  },
  {
    id: "l-lines-in-reverse-order",
    title: "The lines stand in reverse order; ids and parents are right",
    report: "measured",
    reported: "2026-11-21",
    error: "none: the history is silently lost",
    rows: [...whatsapp("l12"), ...deploy("l12")],
    file: ([first, ...rest]) => [first!, ...rest.toReversed()],
  },
  {
    id: "l-rows-without-message",
    title: "Message entries whose message is missing, null, a string or a list",
    report: "measured",
    reported: "2026-11-21",
    error: "Cannot read properties of null (reading 'role')",
    rows: [
      ...shell("l13"),
      { entry: { type: "message" } },
      { entry: { type: "message", message: null } },
      { entry: { type: "message", message: "lost" } },
      { entry: { type: "message", message: [] } },
      { entry: { type: "unheard_of", data: 1 } },
      user("Still there? {{MARK-l13 still there}}"),
      assistant(["Yes. {{MARK-l13 still here}}"]),
    ],
  },
];
