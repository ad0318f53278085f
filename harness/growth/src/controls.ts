/**
 * Work whose growth is known, to see that the measuring sees it. In a folder `src`, whose blocks are counted as those
 * of the sources are.
 */
import type { Subject } from "../subjects.ts";

export const CONTROLS: Readonly<Record<string, Subject<readonly number[]>>> = {
  "one loop": (list) => () => {
    let sum = 0;
    for (const item of list) sum += item;
    return sum;
  },
  "a loop in a loop": (list) => () => {
    let sum = 0;
    for (const one of list) for (const other of list) sum += one * other;
    return sum;
  },
  "a search of a built-in function in a loop": (list) => () => list.filter((item) => list.includes(item)),
  "a list that is copied for each of its items": (list) => () =>
    list.reduce<readonly number[]>((all, item) => [...all, item], []),
};

export const LISTS: Readonly<Record<string, (n: number) => readonly number[]>> = {
  "a list": (n) => Array.from({ length: n }, (_, at) => at),
};
