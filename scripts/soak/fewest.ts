/**
 * Looks for few of the items for which `comes` is true: the last ones, twice as many each time, then these without one
 * half, quarter and so on down to each single one. Undefined where it is true of no such end of the list.
 */
export async function fewest<Item>(
  items: readonly Item[],
  comes: (some: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[] | undefined> {
  let found: readonly Item[] | undefined;
  for (let last = 1; found === undefined; last *= 2) {
    const some = items.slice(-last);
    if (await comes(some)) found = some;
    else if (last >= items.length) return undefined;
  }
  for (let size = Math.ceil(found.length / 2); found.length > 1; size = Math.ceil(size / 2)) {
    for (let at = 0; at < found.length && found.length > 1;) {
      const without: readonly Item[] = found.toSpliced(at, size);
      if (without.length > 0 && (await comes(without))) found = without;
      else at += size;
    }
    if (size === 1) break;
  }
  return found;
}
