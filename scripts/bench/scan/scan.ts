import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { scan, ScanMemory } from "../../../src/health/index.ts";
import { ensureRelease } from "../../../harness/openclaw/ensure-release.ts";
import { openCatalog, type Catalog } from "../../../src/store/index.ts";
import { openRows } from "../../../harness/openclaw/adapters/rows.ts";
import { healthyFrom } from "../../../harness/arbitrary/history.ts";
import { toTranscript, type StoredMessage } from "../../../harness/openclaw/transcript.ts";
import { markdownTable } from "../../fuzz/table.ts";
import { median } from "../measure.ts";
import type { GatewayScanCost } from "./gateway.ts";
import { describeMaking } from "../../measured/making.ts";

/** What a scan of many sessions costs. */
export interface ScanCost {
  store: string;
  sessions: number;
  events: number;
  /** Reading and parsing the same rows, and nothing else. */
  bareMs: number;
  coldMs: number;
  /** Median of the ratios of neighbouring rounds. */
  ratio: number;
  /** With nothing written to since. */
  unchangedMs: number;
  /** For how long other work had to wait at most, in the cold scan. */
  blockedMs: number;
}

const SESSIONS = 1000;
/** Rows of one transcript. */
export const TRANSCRIPT_ROWS = 200;
const ROUNDS = 7;

/** Measures scans of transcript files and of OpenClaw's database, turn and turn about with the bare reading. */
export async function measureScans(): Promise<ScanCost[]> {
  const folder = mkdtempSync(join(tmpdir(), "bench-scan-"));
  try {
    return [
      await measureStore("JSONL files", await makeFiles(join(folder, "files"))),
      await measureStore("OpenClaw 2026.9.6, rows", await makeRows(join(folder, "rows"))),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Store {
  stateDirectory: string;
  /** Reads and parses every row. */
  bare: () => void;
}

async function measureStore(store: string, { stateDirectory, bare }: Store): Promise<ScanCost> {
  const catalog = openCatalog(stateDirectory);
  try {
    const bareMs: number[] = [];
    const coldMs: number[] = [];
    const blocked: number[] = [];
    for (let round = -1; round < ROUNDS; round++) {
      const bareTook = timed(bare);
      const { took, blockedMs } = await coldScan(catalog);
      if (round < 0) continue;
      bareMs.push(bareTook);
      coldMs.push(took);
      blocked.push(blockedMs);
    }
    const memory = new ScanMemory(stateDirectory);
    await scan(catalog, { memory });
    memory.save();
    const unchanged: number[] = [];
    for (let round = 0; round < ROUNDS; round++) unchanged.push(await unchangedScan(stateDirectory));
    const ratio = median(coldMs.map((took, at) => took / bareMs[at]!));
    return {
      store,
      sessions: SESSIONS,
      events: TRANSCRIPT_ROWS,
      bareMs: median(bareMs),
      coldMs: median(coldMs),
      ratio,
      unchangedMs: median(unchanged),
      blockedMs: median(blocked),
    };
  } finally {
    catalog.close();
  }
}

async function coldScan(catalog: Catalog): Promise<{ took: number; blockedMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const began = performance.now();
  const { read, corrupt } = await scan(catalog);
  const took = performance.now() - began;
  delay.disable();
  if (read !== SESSIONS || corrupt > 0) throw new Error(`${read} sessions were read, ${corrupt} with faults`);
  return { took, blockedMs: delay.max / 1e6 };
}

/** As a command makes it: everything opened anew. */
async function unchangedScan(stateDirectory: string): Promise<number> {
  const began = performance.now();
  const catalog = openCatalog(stateDirectory);
  const { read } = await scan(catalog, { memory: new ScanMemory(stateDirectory) });
  catalog.close();
  if (read !== 0) throw new Error(`${read} sessions were read again`);
  return performance.now() - began;
}

function timed(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

/** A healthy session of so many rows, the header included. */
export function makeTranscript(at: number): string {
  const messages = healthyFrom(at, TRANSCRIPT_ROWS).slice(0, TRANSCRIPT_ROWS - 1) as StoredMessage[];
  const end = messages.findLastIndex(({ role }) => role === "user");
  // What a cut would leave open is filled up with words.
  const whole = [
    ...messages.slice(0, end),
    ...Array.from({ length: messages.length - end }, (): StoredMessage => ({
      role: "user",
      content: [{ type: "text", text: "and so on" }],
    })),
  ];
  return toTranscript(whole, { seed: `bench-${at}` });
}

/** So many sessions as transcript files. */
async function makeFiles(stateDirectory: string): Promise<Store> {
  const folder = join(stateDirectory, "agents", "main", "sessions");
  mkdirSync(folder, { recursive: true });
  const files = Array.from({ length: SESSIONS }, (_, at) => join(folder, `session-${at}.jsonl`));
  for (const [at, file] of files.entries()) writeFileSync(file, makeTranscript(at));
  const entries = files.map((_, at) => [`agent:main:${at}`, { sessionId: `session-${at}`, updatedAt: at }] as const);
  writeFileSync(join(folder, "sessions.json"), JSON.stringify(Object.fromEntries(entries)));
  return {
    stateDirectory,
    bare: () => {
      for (const file of files)
        for (const line of readFileSync(file, "utf8").split("\n")) if (line !== "") JSON.parse(line);
    },
  };
}

/** So many in the database: one session stored by OpenClaw itself, and the others as copies of its rows. */
async function makeRows(stateDirectory: string): Promise<Store> {
  mkdirSync(join(stateDirectory, "agents", "main", "agent"), { recursive: true });
  const { stock } = await ensureRelease("2026.9.6", { say: (line) => console.error(line) });
  process.env["OPENCLAW_STATE_DIR"] = stateDirectory;
  const id = "session-0";
  await (
    await openRows(join(stock, "dist"))
  ).store({ key: "agent:main:0", id, transcript: makeTranscript(0), api: "anthropic-messages" });
  const database = new DatabaseSync(join(stateDirectory, "agents", "main", "agent", "openclaw-agent.sqlite"), {
    timeout: 5000,
  });
  const listColumns = (table: string): string[] =>
    database
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => String(name));
  // Earlier sessions of the same conversation.
  const copy = (table: string, at: number): void => {
    const columns = listColumns(table).map((column) => `"${column}"`);
    const values = columns.map((column) => (column === '"session_id"' ? `'copy-${at}'` : column));
    database.exec(
      `INSERT INTO ${table} (${columns.join(", ")}) SELECT ${values.join(", ")} FROM ${table} WHERE session_id = '${id}'`,
    );
  };
  database.exec("BEGIN");
  for (let at = 1; at < SESSIONS; at++) {
    copy("session_windows", at);
    copy("transcript_events", at);
    // OpenClaw's index of them, without which each would be a session with a fault.
    copy("session_transcript_active_events", at);
    copy("session_transcript_index_state", at);
  }
  database.exec("COMMIT");
  const all = database.prepare("SELECT event_json FROM transcript_events ORDER BY session_id, seq");
  return {
    stateDirectory,
    bare: () => {
      for (const { event_json: text } of all.iterate()) if (typeof text === "string") JSON.parse(text);
    },
  };
}

/** As a table. */
export function scanRows(costs: readonly ScanCost[]): string[][] {
  return [
    [
      "store",
      "sessions",
      "events each",
      "read and parsed, ms",
      "cold scan, ms",
      "times",
      "nothing changed, ms",
      "others wait at most, ms",
    ],
    ...costs.map(({ store, sessions, events, bareMs, coldMs, ratio, unchangedMs, blockedMs }) => [
      store,
      String(sessions),
      String(events),
      bareMs.toFixed(0),
      coldMs.toFixed(0),
      ratio.toFixed(2),
      unchangedMs.toFixed(1),
      blockedMs.toFixed(0),
    ]),
  ];
}

/** As a table. */
export function gatewayScanRows(costs: readonly GatewayScanCost[]): string[][] {
  return [
    [
      "OpenClaw",
      "`/l0-scan all`, ms",
      "event loop stood still, ms",
      "in the midst of the scan, ms",
      "`/l0-incidents`, ms",
      "event loop stood still, ms",
    ],
    ...costs.map(({ release, scanMs, blockedMs, midstMs, otherMs, otherBlockedMs }) => [
      release,
      scanMs.toFixed(0),
      blockedMs.toFixed(0),
      midstMs.toFixed(0),
      otherMs.toFixed(0),
      otherBlockedMs.toFixed(0),
    ]),
  ];
}

/** The aims for the cost of a scan, each with whether it is reached and, where not, on which stores. */
export function scanVerdicts(costs: readonly ScanCost[], gateways: readonly GatewayScanCost[] = []): string[] {
  const verdict = (aim: string, isReached: (cost: ScanCost) => boolean): string =>
    `${aim}: ${
      costs.every(isReached)
        ? "reached"
        : `not reached (${costs
            .filter((cost) => !isReached(cost))
            .map(({ store }) => store)
            .join(", ")})`
    }`;
  return [
    verdict("a cold scan within 1.5 times of reading and parsing", ({ ratio }) => ratio <= 1.5),
    verdict("nothing changed under 50 ms", ({ unchangedMs }) => unchangedMs < 50),
    verdict("other work waits at most 50 ms", ({ blockedMs }) => blockedMs <= 50),
    ...(gateways.length === 0
      ? []
      : [
          `the event loop of a gateway stands still at most 50 ms while its plugin scans: ${gateways.every(({ midstMs }) => midstMs <= 50) ? "reached" : "not reached"}`,
        ]),
  ];
}

/** The page with the results. */
export function formatScanReport(
  command: string,
  costs: readonly ScanCost[],
  gateways: readonly GatewayScanCost[],
): string {
  return [
    "# What a scan of the stored sessions costs",
    "",
    describeMaking(command),
    "",
    ...scanVerdicts(costs, gateways).map((one) => `- ${one}`),
    "",
    "Healthy sessions. A cold scan reads all of them, turn and turn about with reading and parsing the same rows and nothing else; medians of",
    `${ROUNDS} rounds. "Nothing changed" opens everything anew, as a command does.`,
    "",
    markdownTable(scanRows(costs)),
    "",
    "In a real gateway with the plugin, unpatched, the same sessions: the longest of 5 commands, and for how long at most the gateway's event loop stood",
    "still meanwhile; 'in the midst' leaves out 0.3 s at both ends, in which the gateway handles the command. `/l0-incidents` reads a folder and shows what any",
    "command costs that gateway.",
    "",
    markdownTable(gatewayScanRows(gateways)),
    "",
  ].join("\n");
}
