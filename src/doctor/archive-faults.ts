import { statSync } from "node:fs";
import { countFaults, examine, type Examination } from "../health/index.ts";
import { readFileRows } from "../store/catalog/files.ts";
import { readManifest } from "../store/archives/manifest.ts";
import type { Catalog, SessionSummary } from "../store/index.ts";
import { isObject } from "../transcript/json/json.ts";
import type { Archive } from "./checkup.ts";

/** The youngest archives are examined, unless they are large: a report has to be there soon. */
const MAX_EXAMINED = 20;
const MAX_BYTES = 16 * 1024 * 1024;

/** Adds to the youngest archives how many faults the session has again when it is restored. Never throws. */
export function withFaults(
  archives: readonly Archive[],
  catalog: Catalog,
  sessions: readonly SessionSummary[],
): Archive[] {
  return archives.map((archive, at) => {
    if (at >= MAX_EXAMINED) return archive;
    try {
      const examination = archive.kind === "file" ? inCopy(archive) : inRows(archive, catalog, sessions);
      return examination === undefined ? archive : { ...archive, faults: countFaults(examination) };
    } catch {
      // What cannot be read is refused by the restore, which says why.
      return archive;
    }
  });
}

function inCopy({ path, sessionId }: Archive): Examination | undefined {
  if (statSync(path).size > MAX_BYTES) return undefined;
  return examine(readFileRows({ place: path }), { sessionId, kind: "file" });
}

/**
 * Examines the session of an archive in OpenClaw's database, which appends rows only: those up to the archived leaf are
 * the session as it was. Undefined where these are gone.
 */
function inRows({ path }: Archive, catalog: Catalog, sessions: readonly SessionSummary[]): Examination | undefined {
  const { sessionId, leafEntryId } = readManifest(path);
  const session = sessions.find((one) => one.kind === "rows" && one.sessionId === sessionId);
  if (session === undefined || session.unread !== undefined) return undefined;
  const { hasOutdatedIndex: _index, refusal: _record, ...stored } = catalog.read(session);
  const leaf = stored.rows.findLastIndex((row) => isObject(row) && row.id === leafEntryId);
  return leaf < 0 ? undefined : examine({ ...stored, rows: stored.rows.slice(0, leaf + 1) }, session);
}

/** Tells what a restore brings back; empty where nothing faulty is known. */
export function archiveWords({ faults = 0 }: Archive): string {
  if (faults === 0) return "";
  return faults === 1
    ? "it has a fault, which restoring it brings back"
    : `it has ${faults.toLocaleString("en")} faults, which restoring it brings back`;
}
