/**
 * Archives of OpenClaw's records of conversations (since 2026.8): `integrity-archives/<session id>-<time>-record.json`
 * in the state directory, with the record as it was. For a person to read: no command puts it back.
 */
import { join } from "node:path";
import { timeInFileName } from "../../base/time.ts";
import { makeFolder } from "../../base/files/index.ts";
import { toJson, type JsonObject } from "../../transcript/json/json.ts";
import { putFile, unlessRefused } from "./durable-file.ts";
import { ARCHIVES } from "./manifest.ts";

const FORMAT = "openclaw-integrity record";
const VERSION = 1;
const ENDING = "-record.json";

/** Writes the record into the state directory and returns the path. Throws `not-writable` or `unsafe-path`. */
export function archiveRecord(
  stateDirectory: string,
  {
    agentId,
    sessionKey,
    sessionId,
  }: { readonly agentId: string; readonly sessionKey?: string | undefined; readonly sessionId: string },
  record: JsonObject,
): string {
  const folder = join(stateDirectory, ARCHIVES);
  unlessRefused(folder, () => makeFolder(folder));
  const at = new Date().toISOString();
  // Session ids come from OpenClaw's callers and must not lead out of the folder.
  const path = join(folder, `${sessionId.replaceAll(/[/\\\0]/g, "_")}-${timeInFileName(at)}${ENDING}`);
  const archive = { format: FORMAT, version: VERSION, agentId, sessionKey, sessionId, at, record };
  putFile(path, `${toJson(archive)}\n`, 0o600, { shared: "allow", last: "replace" });
  return path;
}

/** Whether a file of the archives is the copy of a record, by its name. */
export function isRecordArchive(name: string): boolean {
  return name.endsWith(ENDING);
}
