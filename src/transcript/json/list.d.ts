/** Maps a list; returns the same list, without allocating another, when no item changed. */
export declare function mapChanged<T>(list: T[], change: (item: T) => T): T[];
/** Adds all of `items` to `list`; unlike `push(...items)`, however many there are. */
export declare function addAll<T>(list: T[], items: Iterable<T>): void;
/** Throws a TypeError, which names the function, unless `messages` is a list. */
export declare function assertList(name: string, messages: unknown): void;
