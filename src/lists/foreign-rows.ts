/** Rows of a list that are no messages of its form: they are left out of what is judged, and stay where they are. */

/** The messages of a list without its foreign rows. */
export interface Members {
  readonly rows: readonly unknown[];
  /** The place in the list of each of `rows`. */
  readonly places: readonly number[];
}

/** Returns the messages of a list; the list itself where it has no other rows. */
export function membersOf(list: readonly unknown[], isMember: readonly boolean[]): Members {
  const places = [...list.keys()].filter((at) => isMember[at]);
  return { rows: places.length === list.length ? list : places.map((at) => list[at]), places };
}

/**
 * Returns the repaired messages with the foreign rows of `list` in their order: each behind the message that stood
 * before it, or the nearest before that which is still there; at the beginning where there is none.
 */
export function withForeignRows(
  list: readonly unknown[],
  { rows, places }: Members,
  repaired: readonly unknown[],
): readonly unknown[] {
  if (rows === list) return repaired;
  const placeOf = new Map<unknown, number>();
  repaired.forEach((row, at) => placeOf.set(row, at));
  const members = new Set(places);
  /** Foreign rows by the number of repaired messages before them. */
  const behind = new Map<number, unknown[]>();
  let before = 0;
  list.forEach((row, at) => {
    if (members.has(at)) {
      before = Math.max(before, (placeOf.get(row) ?? -1) + 1);
      return;
    }
    const found = behind.get(before);
    if (found) found.push(row);
    else behind.set(before, [row]);
  });
  return [...(behind.get(0) ?? []), ...repaired.flatMap((row, at) => [row, ...(behind.get(at + 1) ?? [])])];
}
