import { randomUUID } from "node:crypto";

/** Returns an unused id for a new row of a transcript file in OpenClaw's form: eight hex digits. */
export function newEntryId(isTaken: (id: string) => boolean): string {
  let id = randomUUID().slice(0, 8);
  while (isTaken(id)) id = randomUUID().slice(0, 8);
  return id;
}
