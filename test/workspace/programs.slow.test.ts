import { chmodSync, lstatSync, type Stats, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { patience } from "../../harness/patience.ts";
import { Scene } from "./workspace.ts";

const NAMES = ["a", "b", "dir", "dir/a", "dir/deep/b", "b/in", "-x", "new\nline"] as const;
const PERSONS = ["p", "mine/p"] as const;

type Op =
  | { readonly op: "write"; readonly path: string; readonly content: string }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "rename"; readonly path: string; readonly to: string }
  | { readonly op: "mode"; readonly path: string }
  | { readonly op: "link"; readonly path: string };

type Part =
  | { readonly part: "batch"; readonly ops: readonly Op[] }
  | { readonly part: "person"; readonly path: string; readonly content: string }
  | { readonly part: "move"; readonly to: number }
  | { readonly part: "undo" };

const anyName = fc.constantFrom(...NAMES);
const content = fc.constantFrom("", "one\n", "two\n", "\0binary", "x".repeat(5000));
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant("write" as const), path: anyName, content }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("remove" as const), path: anyName }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("rename" as const), path: anyName, to: anyName }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("mode" as const), path: anyName }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("link" as const), path: anyName }) },
);
const part: fc.Arbitrary<Part> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ part: fc.constant("batch" as const), ops: fc.array(op, { minLength: 1, maxLength: 4 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ part: fc.constant("person" as const), path: fc.constantFrom(...PERSONS), content }),
  },
  { weight: 3, arbitrary: fc.record({ part: fc.constant("move" as const), to: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ part: fc.constant("undo" as const) }) },
);

/** Does what a program would: what is impossible is not done. */
function act(scene: Scene, { op: what, path: name, ...more }: Op & { content?: string; to?: string }): void {
  const at = scene.at(name);
  const clear = (of: string): void => {
    for (let above = dirname(of); above.length > scene.workspace.length; above = dirname(above))
      if (tryLstat(above)?.isDirectory() === false) rmSync(above);
    if (tryLstat(of)) rmSync(of, { recursive: true });
    mkdirSync(dirname(of), { recursive: true });
  };
  const there = tryLstat(at);
  if (what === "write") {
    clear(at);
    writeFileSync(at, more.content ?? "");
  } else if (what === "link") {
    clear(at);
    symlinkSync("../outside", at);
  } else if (what === "remove" && there) rmSync(at, { recursive: true });
  else if (what === "mode" && there?.isFile() === true) chmodSync(at, there.mode ^ 0o111);
  else if (what === "rename" && there?.isFile() === true && more.to !== undefined && more.to !== name) {
    const to = scene.at(more.to);
    const kept = join(scene.folder, "renamed");
    renameSync(at, kept);
    clear(to);
    renameSync(kept, to);
  }
}

function tryLstat(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function without(files: Record<string, string>, isExcluded: (path: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([name]) => !isExcluded(name)));
}

const isPersons = (name: string): boolean => (PERSONS as readonly string[]).includes(name);

it(
  "whatever an agent does, each place has its files again after a move there, an undo is the identity, and a person's own files are never touched",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 3, maxLength: 9 }), async (parts) => {
        const scene = new Scene();
        try {
          writeFileSync(scene.at("a"), "a\n");
          writeFileSync(scene.at("b"), "b\n", { mode: 0o755 });
          // The plain model: the agent's files at each place, and the place before each move.
          const model = new Map<string, Record<string, string>>();
          const places: string[] = [];
          const departures: (string | undefined)[] = [];
          const own = (): Record<string, string> => without(scene.files(), isPersons);
          const arrive = (mark: string): void => {
            places.push(mark);
            model.set(mark, own());
          };
          arrive(scene.say());
          for (const one of parts) {
            const persons = without(scene.files(), (name) => !isPersons(name));
            if (one.part === "batch") {
              arrive(
                await scene.batch(() => {
                  for (const each of one.ops) act(scene, each);
                }),
              );
            } else if (one.part === "person") {
              mkdirSync(dirname(scene.at(one.path)), { recursive: true });
              writeFileSync(scene.at(one.path), one.content);
              continue;
            } else {
              const before = own();
              const to = one.part === "move" ? places[one.to % places.length] : departures.pop();
              if (to === undefined) continue;
              const { departure } = await scene.move(to);
              if (one.part === "move") departures.push(departure);
              else departures.length = 0;
              expect(own()).toEqual(model.get(to));
              // The undo, and the undo of the undo.
              const undone = await scene.move(departure);
              expect(own()).toEqual(before);
              await scene.move(undone.departure);
              expect(own()).toEqual(model.get(to));
              arrive(scene.say());
            }
            expect(without(scene.files(), (name) => !isPersons(name))).toEqual(persons);
          }
        } finally {
          scene.close();
        }
      }),
      { numRuns: Number(process.env["PROGRAMS"] ?? 15), interruptAfterTimeLimit: patience(200_000) },
    );
  },
  patience(240_000),
);
