/** `list` with each item replaced; the very same list, and nothing allocated, when no item changed. */
export function mapChanged<T>(list: T[], change: (item: T) => T): T[] {
  let changed: T[] | undefined;
  list.forEach((item, index) => {
    const next = change(item);
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

/** Throws a TypeError of the function of this name unless it was given a list of messages. */
export function assertList(name: string, messages: unknown): void {
  if (Array.isArray(messages)) return;
  const found = messages === null ? "null" : typeof messages === "object" ? "an object" : typeof messages;
  throw new TypeError(`${name}() expects a list of messages, found ${found}.`);
}
