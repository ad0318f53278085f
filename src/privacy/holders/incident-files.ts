import { join } from "node:path";
import { filesIn, type FoundFile } from "./read-folder.ts";
import { readJsonObject } from "../../base/read-json-object.ts";

/** A file with one incident. */
export interface IncidentFile extends FoundFile {
  readonly sessionId?: string;
  readonly sessionKey?: string;
}

const NAME = /^(?:integrity|l0)-incident-.+\.json$/;
/** An incident takes a few kilobytes; larger files are not incidents. */
const MAX_BYTES = 1024 * 1024;

/** Lists the incidents that the guard and the plugin have written into `logs/`. Throws `store-unreadable`. */
export function incidentFiles(stateDirectory: string): IncidentFile[] {
  return filesIn(join(stateDirectory, "logs"))
    .filter(({ name, bytes }) => NAME.test(name) && bytes <= MAX_BYTES)
    .map((file) => ({ ...file, ...readSubject(file.path) }));
}

function readSubject(path: string): { sessionId?: string; sessionKey?: string } {
  const { sessionId, sessionKey } = readJsonObject(path) ?? {};
  return {
    ...(typeof sessionId === "string" && { sessionId }),
    ...(typeof sessionKey === "string" && { sessionKey }),
  };
}
