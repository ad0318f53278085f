/** The rooms of src/, as the tests beside hold the sources to them and docs/architecture.md shows them. */
import { replaceSection } from "../../harness/replace-section.ts";

export interface Room {
  /** What it is for. */
  readonly what: string;
  /** Who needs it; a room that nobody needs goes. */
  readonly asked: string;
  /** The other rooms that its files import, no more and no fewer. */
  readonly imports: readonly string[];
  /**
   * `pure`: neither it nor what it imports reads or writes anything outside of its arguments. `clock`: nothing but the
   * time. Absent: anything.
   */
  readonly effects?: "pure" | "clock";
  /** Code lines at most, without blanks, comments and tests. Lowered when the room has shrunk, raised for a reason only. */
  readonly lines: number;
  /** Code lines that it should come to. */
  readonly aim: number;
}

export const ROOMS: Readonly<Record<string, Room>> = {
  base: {
    what: "errors with a code, safe files, quoting, terminal output, `node:sqlite`",
    asked: "all rooms",
    imports: [],
    lines: 1475,
    aim: 1500,
  },
  transcript: {
    what: "stored messages: spellings, pairing, `validate`, `repair`",
    asked: "people locked out",
    imports: ["base"],
    effects: "pure",
    lines: 2760,
    aim: 2400,
  },
  wire: {
    what: "a folder for each API: `prepare` messages, `check` and `heal` bodies",
    asked: "the same",
    imports: ["base", "transcript"],
    effects: "pure",
    lines: 4230,
    aim: 2900,
  },
  lists: {
    what: "forms of message lists, their rules and repair",
    asked: "other agents",
    imports: ["base", "transcript", "wire"],
    effects: "pure",
    lines: 1580,
    aim: 1500,
  },
  adapters: {
    what: "the repair in each framework's own place",
    asked: "agents on a framework",
    imports: ["lists", "transcript"],
    lines: 105,
    aim: 100,
  },
  recovery: {
    what: "kinds of provider errors, and treatments",
    asked: "people whose turn is refused",
    imports: ["base", "transcript"],
    effects: "clock",
    lines: 5130,
    aim: 1900,
  },
  fetch: {
    what: "a `fetch` that heals requests and repeats refused ones",
    asked: "other agents",
    imports: ["base", "recovery", "transcript", "wire"],
    lines: 900,
    aim: 550,
  },
  observe: {
    what: "events and counters",
    asked: "operators with metrics",
    imports: ["base"],
    lines: 510,
    aim: 300,
  },
  journal: {
    what: "tool cycles, checkpoints, incidents and waiting messages in SQLite",
    asked: "people whose gateway is killed",
    imports: ["base", "transcript"],
    lines: 1770,
    aim: 850,
  },
  store: {
    what: "OpenClaw's stores: list, read, append, archive, restore, roll back",
    asked: "guard and operators",
    imports: ["base", "journal", "transcript"],
    lines: 3620,
    aim: 2400,
  },
  health: {
    what: "scans stored sessions and repairs the store",
    asked: "operators",
    imports: ["base", "journal", "store", "transcript"],
    lines: 960,
    aim: 750,
  },
  workspace: {
    what: "snapshots of an agent's files, and their moves",
    asked: "people who go back",
    imports: ["base", "journal"],
    lines: 3100,
    aim: 1800,
  },
  timetravel: {
    what: "places of a history, carryover, records of moves",
    asked: "agents and people who go back",
    imports: ["base", "journal", "store", "transcript", "workspace"],
    lines: 2850,
    aim: 2000,
  },
  continuity: {
    what: "the kernel for goals, tasks and steps; knows no OpenClaw",
    asked: "people whose work outlives a session",
    imports: ["base"],
    lines: 10_950,
    aim: 6300,
  },
  "continuity-tools": {
    what: "the kernel as tools, for plugin and MCP",
    asked: "models",
    imports: ["base", "continuity", "journal", "transcript"],
    lines: 1400,
    aim: 800,
  },
  mcp: {
    what: "the kernel as an MCP server",
    asked: "other agents' users",
    imports: ["base", "continuity", "continuity-tools"],
    lines: 500,
    aim: 300,
  },
  privacy: {
    what: "lists and deletes what is kept of a session",
    asked: "people who want to be forgotten",
    imports: ["base", "continuity", "health", "journal", "store", "timetravel", "transcript", "workspace"],
    lines: 1770,
    aim: 700,
  },
  doctor: {
    what: "the report on all sessions, as text and page",
    asked: "operators",
    imports: ["base", "health", "journal", "privacy", "recovery", "store", "timetravel", "transcript"],
    lines: 3225,
    aim: 1600,
  },
  "continuity-report": {
    what: "the report on recorded work",
    asked: "operators",
    imports: ["base", "continuity", "doctor"],
    lines: 780,
    aim: 250,
  },
  guard: {
    what: "all that the inserted lines call: gates, ladder, journalling, moves",
    asked: "everybody who runs OpenClaw",
    imports: ["base", "journal", "observe", "recovery", "store", "timetravel", "transcript", "wire", "workspace"],
    lines: 7800,
    aim: 3900,
  },
  integrity: {
    what: "the library `SessionIntegrity`",
    asked: "other agents",
    imports: ["base", "journal", "observe", "recovery", "store", "transcript", "wire"],
    lines: 4190,
    aim: 2800,
  },
  patching: {
    what: "patch points: found, applied, verified, reverted",
    asked: "operators; OpenClaw's maintainers",
    imports: ["base", "store"],
    lines: 4500,
    aim: 3200,
  },
  providers: {
    what: "strict servers, which refuse what providers refuse",
    asked: "other agents; the tests",
    imports: [],
    lines: 4080,
    aim: 4000,
  },
  conformance: {
    what: "cases for agents, their player, the judge of requests",
    asked: "other agents",
    imports: ["base", "providers", "transcript"],
    lines: 1450,
    aim: 1300,
  },
  prove: {
    what: "corrupt sessions through the installed OpenClaw",
    asked: "operators who doubt",
    imports: ["base", "transcript"],
    lines: 1635,
    aim: 1150,
  },
  register: {
    what: "the hook of `node --import`: patched files from memory",
    asked: "operators of read-only images",
    imports: ["base", "guard", "patching", "store"],
    lines: 1200,
    aim: 1050,
  },
  plugin: {
    what: "the plugin `clawos-l0`: commands, tools, scans, patch after updates",
    asked: "people in a chat; agents",
    imports: [
      "base",
      "continuity",
      "continuity-tools",
      "doctor",
      "guard",
      "health",
      "journal",
      "observe",
      "patching",
      "privacy",
      "prove",
      "register",
      "store",
      "timetravel",
      "transcript",
      "workspace",
    ],
    lines: 4475,
    aim: 3000,
  },
  cli: {
    what: "the command `openclaw-integrity`",
    asked: "operators",
    imports: [
      "base",
      "conformance",
      "continuity",
      "continuity-report",
      "continuity-tools",
      "doctor",
      "health",
      "journal",
      "mcp",
      "patching",
      "privacy",
      "prove",
      "register",
      "store",
      "timetravel",
      "transcript",
      "workspace",
    ],
    lines: 9240,
    aim: 4700,
  },
};

const HEAD = "| room | what it is for | asked for by | imports | lines | aim |\n|-|-|-|-|-|-|";

/** Returns the page with the table of the rooms between its marks. Throws when it has no marks. */
export function withRooms(page: string): string {
  const rows = Object.entries(ROOMS).map(([name, { what, asked, imports, effects, lines, aim }]) =>
    [effects === undefined ? name : `${name} (${effects})`, what, asked, listed(name, imports), lines, aim].join(" | "),
  );
  return replaceSection(page, "rooms: test/layout/rooms.ts", [HEAD, ...rows.map((row) => `| ${row} |`)].join("\n"));
}

/** What imports more than half of the rooms is told by what it leaves. */
function listed(name: string, imports: readonly string[]): string {
  const others = Object.keys(ROOMS).filter((other) => other !== name && !imports.includes(other));
  return imports.length > others.length ? `all but ${others.join(", ")}` : imports.join(", ") || "none";
}
