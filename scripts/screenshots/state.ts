/** State directories with stored sessions, and their page. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadCorpus, transcriptPath } from "../../harness/corpus/case.ts";
import { healthyFrom } from "../../harness/arbitrary/history.ts";
import { toTranscript, type StoredMessage } from "../../harness/openclaw/transcript.ts";
import { makeCheckup, renderCheckupPage } from "../../src/doctor/index.ts";
import { repairStored } from "../../src/health/index.ts";
import { journalFile, openJournal } from "../../src/journal/index.ts";
import { findSummary, openCatalog } from "../../src/store/index.ts";

const NOW = Date.parse("2026-11-23T18:40:00Z");
const MINUTE = 60_000;
/** Of so many sessions one is of the corpus, of those that have incidents. */
const ONE_IN = 3;
const SHOWN_AS = "/home/ada/.openclaw";
const CHANNELS = ["telegram:dm", "whatsapp:group", "slack:channel", "discord:thread", "cron"];
/** The first faults, one of each severity, so that a small state shows them all. */
const FIRST = ["c-terminated-half-call", "a-limit-between-call-and-result", "d-crash-tail"];

/** A stable id of a session. */
function makeId(nth: number): string {
  const hash = createHash("sha256").update(`session ${nth}`).digest("hex");
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

function makeKey(nth: number): string {
  const channel = CHANNELS[nth % CHANNELS.length]!;
  return nth === 0 ? "agent:main:main" : `agent:main:${channel}:${48_213_377 + nth * 7919}`;
}

/** Stores sessions as OpenClaw to 2026.7 does, and returns the page of `sessions doctor --html`. */
export async function pageOfState(stateDirectory: string, sessions: number): Promise<string> {
  const folder = join(stateDirectory, "agents", "main", "sessions");
  mkdirSync(folder, { recursive: true });
  const corpus = loadCorpus().map(({ id }) => id);
  const named = [...FIRST.filter((id) => corpus.includes(id)), ...corpus];
  const index: Record<string, { sessionId: string }> = {};
  for (let nth = 0; nth < sessions; nth++) {
    const id = makeId(nth);
    const file = join(folder, `${id}.jsonl`);
    const isOfCorpus = nth % ONE_IN === 1;
    const text = isOfCorpus
      ? readFileSync(transcriptPath(named[Math.floor(nth / ONE_IN) % named.length]!), "utf8")
      : toTranscript(healthyFrom(nth, 2 + (nth % 17)) as StoredMessage[]);
    writeFileSync(file, text);
    const at = new Date(NOW - nth * 37 * MINUTE);
    utimesSync(file, at, at);
    if (nth % 7 !== 5) index[makeKey(nth)] = { sessionId: id };
  }
  writeFileSync(join(folder, "sessions.json"), JSON.stringify(index));
  writeIncidents(stateDirectory);
  openJournal(journalFile(stateDirectory)).close();
  const catalog = openCatalog(stateDirectory);
  try {
    await repairStored(catalog, findSummary(catalog, makeId(sessions > 8 ? 10 : 7)), {
      stateDirectory,
      root: () => "",
    });
    const checkup = await makeCheckup(catalog, {
      stateDirectory,
      isDrawn: true,
      openclaws: [
        {
          release: "2026.2.3",
          root: "/usr/lib/node_modules/openclaw",
          patched: sessions === 8 ? "files" : "no",
        },
      ],
    });
    return renderCheckupPage({ ...checkup, at: NOW }, { withWords: false }).replaceAll(stateDirectory, SHOWN_AS);
  } finally {
    catalog.close();
  }
}

function writeIncidents(stateDirectory: string): void {
  const logs = join(stateDirectory, "logs");
  mkdirSync(logs, { recursive: true });
  for (const nth of [1, 4]) {
    const at = new Date(NOW - nth * 53 * MINUTE).toISOString();
    writeFileSync(
      join(logs, `l0-incident-${at.replaceAll(/[:.]/g, "-")}.json`),
      JSON.stringify({
        timestamp: at,
        sessionId: makeId(nth),
        sessionKey: makeKey(nth),
        issues: [{ type: "orphaned_tool_result" }],
        action: "repaired",
      }),
    );
  }
}
