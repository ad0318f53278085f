/** Maps a list; returns the same list, without allocating another, when no item changed. */
export function mapChanged<T>(list: T[], change: (item: T, index: number) => T): T[] {
  let changed: T[] | undefined;
  list.forEach((item, index) => {
    const next = change(item, index);
    if (next === item) return;
    changed ??= list.slice();
    changed[index] = next;
  });
  return changed ?? list;
}

/** Adds all of `items` to `list`; unlike `push(...items)`, however many there are. */
export function addAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
