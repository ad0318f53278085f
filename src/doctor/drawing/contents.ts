import type { Contents, DrawnEntry } from "./drawing.ts";

/** Returns the number of faults of an entry. */
export function faultCount({ faults, rowFaults, parts }: DrawnEntry): number {
  return faults.length + rowFaults.length + parts.reduce((sum, part) => sum + part.faults.length, 0);
}

/** Counts the contents of several entries, for the one item that represents them. */
export function countContents(entries: readonly DrawnEntry[]): Contents {
  const messages = entries.filter(({ type }) => type === "message");
  const tools = new Map<string, number>();
  for (const { parts } of messages)
    for (const { kind, tool } of parts)
      if (kind === "call" && tool !== undefined) tools.set(tool, (tools.get(tool) ?? 0) + 1);
  const count = (role: string): number => messages.filter((entry) => entry.role === role).length;
  return {
    entries: entries.length,
    messages: messages.length,
    from: entries.find(({ number }) => number !== undefined)?.number,
    to: entries.findLast(({ number }) => number !== undefined)?.number,
    users: count("user"),
    assistants: count("assistant"),
    results: messages.filter(({ parts }) => parts.some(({ kind }) => kind === "result")).length,
    tools: [...tools].toSorted(([, one], [, other]) => other - one),
    faults: entries.reduce((sum, entry) => sum + faultCount(entry), 0),
  };
}
