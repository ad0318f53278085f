/** The imports between the files of this repository, types included, as their text tells. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const IMPORT = /^(?:import|export)\b[^"';]*\bfrom "(\.[^"]+)"|^import "(\.[^"]+)"|\bimport\("(\.[^"]+\.ts)"\)/gm;

/** A graph by name: what each one points to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Every source file under these folders with the files that it imports; paths from the repository. */
export function readImports(...folders: string[]): Graph {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: REPOSITORY }));
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(REPOSITORY, file), "utf8");
      const targets = [...text.matchAll(IMPORT)].map((match) => {
        const specifier = match[1] ?? match[2] ?? match[3] ?? "";
        return relative(REPOSITORY, join(REPOSITORY, dirname(file), specifier));
      });
      return [file, new Set(targets.filter((target) => known.has(target)))];
    }),
  );
}

/** The same graph of groups; what stays inside of one is left out. */
export function grouped(graph: Graph, toGroup: (file: string) => string): Graph {
  const groups = new Map<string, Set<string>>();
  for (const [file, targets] of graph) {
    const group = groups.get(toGroup(file)) ?? new Set();
    groups.set(toGroup(file), group);
    for (const target of targets) if (toGroup(target) !== toGroup(file)) group.add(toGroup(target));
  }
  return groups;
}

/** Groups of names that reach each other (Tarjan), without those of one. */
export function circles(graph: Graph): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const found: string[][] = [];
  const visit = (name: string): void => {
    order.set(name, order.size);
    lowest.set(name, order.get(name)!);
    path.push(name);
    for (const next of graph.get(name) ?? []) {
      if (!order.has(next)) visit(next);
      if (path.includes(next)) lowest.set(name, Math.min(lowest.get(name)!, lowest.get(next)!));
    }
    if (lowest.get(name) !== order.get(name)) return;
    const circle = path.splice(path.indexOf(name));
    if (circle.length > 1) found.push(circle.toSorted());
  };
  for (const name of graph.keys()) if (!order.has(name)) visit(name);
  return found;
}
