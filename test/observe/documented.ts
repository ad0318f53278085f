import { readFileSync } from "node:fs";

/** An event as docs/operations.md tells it. */
export interface DocumentedEvent {
  name: string;
  fields: string[];
  by: string | undefined;
  /** The kinds that are named. */
  kinds: string[];
  isTimed: boolean;
}

const ROW = /^\| `(?<name>l0:[a-z_:]+)` \|[^|]*\|(?<fields>[^|]*)\|(?<kind>[^|]*)\|(?<timed>[^|]*)\|$/gm;

/** The rows of the table of events in docs/operations.md. */
export function documentedEvents(): DocumentedEvent[] {
  const text = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");
  return [...text.matchAll(ROW)].map(({ groups }) => ({
    name: groups!["name"]!,
    fields: [...groups!["fields"]!.matchAll(/`(\w+)`/g)].map(([, field]) => field!),
    kinds: [...groups!["kind"]!.replace(/`kinds?`:/, "").matchAll(/`([\w-]+)`/g)].map(([, kind]) => kind!),
    by: /^`(kinds?)`:/.exec(groups!["kind"]!.trim())?.[1],
    isTimed: groups!["timed"]!.trim() === "yes",
  }));
}
