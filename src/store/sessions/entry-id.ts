import { randomUUID } from "node:crypto";

/** An id for a new row of a transcript file, as OpenClaw makes them: eight hex digits that no other row has. */
export function newEntryId(isTaken: (id: string) => boolean): string {
  let id = randomUUID().slice(0, 8);
  while (isTaken(id)) id = randomUUID().slice(0, 8);
  return id;
}
