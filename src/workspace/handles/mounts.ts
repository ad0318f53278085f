import { readFileSync } from "node:fs";

/**
 * The paths below a folder at which something else is mounted, relative to it, as latin1 strings of their bytes. Read
 * from the system's list and not by looking at the places: a file system that hangs would hang whoever looks.
 */
export function mountsBelow(folder: string): ReadonlySet<string> {
  const prefix = `${Buffer.from(folder).toString("latin1")}/`;
  const mounts = new Set<string>();
  for (const line of mountLines()) {
    const escaped = line.split(" ", 5)[4] ?? "";
    const place = escaped.replaceAll(/\\([0-7]{3})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    );
    if (place.startsWith(prefix)) mounts.add(place.slice(prefix.length));
  }
  return mounts;
}

function mountLines(): string[] {
  try {
    return readFileSync("/proc/self/mountinfo", "latin1").split("\n");
  } catch {
    return [];
  }
}
