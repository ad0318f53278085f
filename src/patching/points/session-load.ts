/** The places where a stored session is opened: a session that fails there never reaches the history pipeline. */
import type { Chunk, Insertion } from "../source/insertion.ts";
import type { PatchPoint } from "../source/point.ts";
import { entriesLoads } from "./entries-load.ts";
import { fileLoads } from "./file-load.ts";

const SESSION_LOAD = "session-load";

export const sessionLoad: PatchPoint = {
  id: SESSION_LOAD,
  prevents: "a damaged transcript that OpenClaw empties, or cannot load",
  commit: "sessions: repair a stored transcript before it is opened",
  why:
    "A transcript without a header, of an old version, with rows that are no records or that hang on nothing fails " +
    "on load: emptied or thrown on in JSONL releases, refused on every turn in SQLite releases.",
  dependsOn:
    "JSONL: the statement that calls repairSessionFileIfNeeded({ sessionFile }), or where a function has none the " +
    "one that calls prewarmSessionFile(sessionFile); SQLite: the methods setLoadedSessionTarget and " +
    "fromSelectedEntries",
  inserts:
    "JSONL: await repairSessionFile(sessionFile) before it (the file is copied before it is replaced), with the " +
    "attempt's parameters where its prompt is counted before it is sent; SQLite: entries = loadTranscript({ entries, " +
    "... }) as the first statement (nothing is written)",
  needles: ["repairSessionFileIfNeeded(", "prewarmSessionFile(", "setLoadedSessionTarget(", "fromSelectedEntries("],
  copies: { min: 1, max: 24 },
  essential: false,
  locate: (chunk: Chunk): readonly Insertion[] => [
    ...fileLoads(chunk, SESSION_LOAD),
    ...entriesLoads(chunk, SESSION_LOAD),
  ],
  proof: "l-no-header",
  provenance: {
    origin: "vendor",
    bugs: [
      "openclaw#89037",
      "openclaw#64287",
      "openclaw#100644",
      '"legacy session transcripts" was measured (harness/corpus/cases/l-file.ts)',
    ],
    forwarded: "no",
    lastUpdate: "2026-11-22",
    dropWhen: "the proof passes on the unpatched release",
  },
};
