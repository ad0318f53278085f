import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { countCodeLines, withoutComments } from "../../harness/code-lines.ts";
import { circles, grouped, readImports, REPOSITORY } from "./imports.ts";
import { type Room, ROOMS, withRooms } from "./rooms.ts";

const ALL = readImports("src", "harness", "scripts", "test");
const isTest = (file: string): boolean => file.endsWith(".test.ts");
const SOURCES = new Map([...ALL].filter(([file]) => file.startsWith("src/") && !isTest(file)));
/** `src/<room>`. */
const roomName = (file: string): string => file.split("/").slice(0, 2).join("/");

describe("a circle of imports, types included, cannot be read from any end", () => {
  it("is in no files", () => expect(circles(ALL)).toEqual([]));

  it("is in no rooms", () => expect(circles(grouped(SOURCES, roomName))).toEqual([]));

  it.each([...new Set([...SOURCES.keys()].map(roomName))])("is in no sub-rooms of %s", (room) => {
    const inside = new Map([...SOURCES].filter(([file]) => roomName(file) === room));
    // What lies in the room itself is a room for each file: the index above the sub-rooms, a ground below them.
    expect(circles(grouped(inside, (file) => (dirname(file) === room ? file : dirname(file))))).toEqual([]);
  });
});

const readSourceFile = (file: string): string => readFileSync(join(REPOSITORY, file), "utf8");
const countLines = (files: readonly string[]): number => countCodeLines(files.map(readSourceFile).join("\n"));

/** The files, and all that they import, near or far. */
function reachedFrom(files: readonly string[]): ReadonlySet<string> {
  const reached = new Set(files);
  // A set that grows while it is walked is walked to its new end.
  for (const file of reached) for (const target of ALL.get(file) ?? []) reached.add(target);
  return reached;
}

const CLOCK = /\bDate\.now\b|\bnew Date\(\)|\bperformance\.\w/;
/** What is outside of a function's arguments, but for the clock; of a package nobody here knows what it does. */
const OUTSIDE =
  /\bfrom "(?!\.|node:crypto"|node:util")|\bimport\(|\brandom[A-Z]\w*\(|\bMath\.random\b|\b(?:process|console|globalThis)\.\w|\b(?:fetch|setTimeout|setInterval|setImmediate)\(/;

describe("src is the rooms of rooms.ts, or a reader of docs/architecture.md is told what is not so", () => {
  const listFiles = (name: string): string[] => [...SOURCES.keys()].filter((file) => roomName(file) === `src/${name}`);
  const found = grouped(SOURCES, roomName);

  it("has these rooms", () => {
    expect([...found.keys()].toSorted()).toEqual(
      Object.keys(ROOMS)
        .map((name) => `src/${name}`)
        .toSorted(),
    );
  });

  describe.each(Object.entries<Room>(ROOMS))("%s", (name, { imports, lines }) => {
    it("imports the rooms that it names: another one makes it part of what it was kept apart from", () => {
      const targets = [...(found.get(`src/${name}`) ?? [])].map((room) => room.slice("src/".length));
      expect(targets.toSorted()).toEqual(imports.toSorted());
    });

    it("keeps its budget of code lines, which shrinks with it", () => {
      const count = countLines(listFiles(name));
      expect(
        count,
        `lines of ${name}: make it smaller, or raise \`lines\` in test/layout/rooms.ts (then vitest -u) and say in the commit why`,
      ).toBeLessThanOrEqual(lines);
      expect(count, `lines of ${name}: it has shrunk by a tenth, so lower its budget`).toBeGreaterThan(lines * 0.9);
    });
  });

  it.each(Object.entries<Room>(ROOMS).filter(([, { effects }]) => effects !== undefined))(
    "%s gives the same answer to the same arguments",
    (name, { effects }) => {
      const acting = [...reachedFrom(listFiles(name))].filter((file) => {
        const text = withoutComments(readSourceFile(file));
        return OUTSIDE.test(text) || (effects === "pure" && CLOCK.test(text));
      });
      expect(acting).toEqual([]);
    },
  );

  it("shows the same in docs/architecture.md; after a change: npx vitest run test/layout -u", async () => {
    const page = join(REPOSITORY, "docs/architecture.md");
    await expect(withRooms(readFileSync(page, "utf8"))).toMatchFileSnapshot(page);
  });
});

const PAGES = ["docs/architecture.md", "CONTRIBUTING.md"];

it.each(PAGES)("%s names files that are there: a reader who opens another one gives up", (page) => {
  const text = readSourceFile(page);
  const paths = [...text.matchAll(/(?<![\w./])(?:src|test|harness|scripts|releases|docs)\/[\w./-]*\w/g)].map(
    ([path]) => path,
  );
  // In the pictures a path begins in the folder that the sentence above names.
  const pictured = [...text.matchAll(/^```text\n([^]*?)^```/gm)]
    .flatMap(([, picture = ""]) => [...picture.matchAll(/[\w./-]+\.ts\b/g)])
    .map(([path]) => path);
  const files = [...ALL.keys()];
  expect([
    ...paths.filter((path) => !existsSync(join(REPOSITORY, path))),
    ...pictured.filter((path) => !files.some((file) => `/${file}`.endsWith(`/${path}`))),
  ]).toEqual([]);
});

it("a strict server is written from what providers say: one that asks src/wire is wrong where src/wire is", () => {
  const servers = [...ALL.keys()].filter((file) =>
    /^(?:src\/providers|src\/prove|harness\/providers)\/(?!.*\.test\.ts$)/.test(file),
  );
  expect([...reachedFrom(servers)].filter((file) => file.startsWith("src/wire/"))).toEqual([]);
});

describe("an import into the wrong part ties what is shipped to what is not", () => {
  const into = (from: RegExp, to: RegExp): string[] =>
    [...ALL].flatMap(([file, targets]) =>
      from.test(file) ? [...targets].filter((target) => to.test(target)).map((target) => `${file} -> ${target}`) : [],
    );

  it("goes from src into nothing else, tests aside", () =>
    expect(into(/^src\/(?!.*\.test\.ts$)/, /^(?!src\/)/)).toEqual([]));

  it("goes from harness neither into tests nor into scripts", () =>
    expect(into(/^harness\//, /^(test|scripts)\/|\.test\.ts$/)).toEqual([]));

  it("goes neither from scripts into tests nor back", () => {
    expect(into(/^scripts\//, /^test\//)).toEqual([]);
    expect(into(/^test\//, /^scripts\//)).toEqual([]);
  });

  it("goes into no test", () => expect(into(/./, /\.test\.ts$/)).toEqual([]));
});

/** What the build or a run puts there. */
const MADE = [
  ".cache",
  "src/plugin/worker.mjs",
  "src/plugin/store-process.mjs",
  "src/plugin/keep-process.mjs",
  "src/plugin/canary-process.mjs",
  "results/",
  "dist/",
];

it("a file that is found by its place beside another one is there: no import names it, so that no compiler misses it", () => {
  const missing = [...ALL.keys()].flatMap((file) => {
    const text = readSourceFile(file);
    return [...text.matchAll(/new URL\("([^":$]+)", import\.meta\.url\)|import\.meta\.dirname, "([^"]+)"/g)]
      .map((match) => join(dirname(file), match[1] ?? match[2]!))
      .filter((path) => !MADE.some((made) => path.startsWith(made)) && !existsSync(join(REPOSITORY, path)))
      .map((path) => `${file}: ${path}`);
  });
  expect(missing).toEqual([]);
});

it("no folder holds more than twenty source files: nobody finds one among more", () => {
  const counts = Object.entries(
    Object.groupBy(
      [...ALL.keys()].filter((file) => !isTest(file)),
      (file) => dirname(file),
    ),
  );
  expect(counts.filter(([, files]) => files!.length > 20).map(([folder]) => folder)).toEqual([]);
});

/** Rooms that run in the Node of the machine, which can be 20; what needs `node:sqlite` runs in a later one. */
const ON_NODE_20 =
  /^src\/(base|transcript|wire|lists|adapters|recovery|patching|providers|conformance|prove|register|cli)\//;

it("what runs on Node 20 calls nothing that Node 20 lacks: the command would end in a TypeError there", () => {
  const newer = /\b(?:Map|Object)\.groupBy\(|\bPromise\.(?:withResolvers|try)\(|\bArray\.fromAsync\(/;
  const calls = [...SOURCES.keys()]
    .filter((file) => ON_NODE_20.test(file))
    .filter((file) => newer.test(withoutComments(readSourceFile(file))));
  expect(calls).toEqual([]);
});

/** A function, a method or a value that is called, by a name that ends in "Of"; and an import that is named so. */
const NAMED_OF =
  /(?<![\w$.])#?(?:[a-z]\w*Of|of)(?:<[^()]*>)?\(|(?<![\w$.])#?(?:[a-z]\w*Of|of)\??(?:: [^=;,()]*)?(?: =|:) (?:async )?(?:\([^()]*\)[^()=]*|\w+ )=>|\bas [a-z]\w*Of\b/g;
/** The language's own. */
const OWN_NAMES = /\bgetPrototypeOf\b/;

it('no function has a name that ends in "Of", which says what it is about and not what it does', () => {
  const named = [...ALL.keys()].flatMap((file) =>
    [...withoutComments(readSourceFile(file)).matchAll(NAMED_OF)]
      .filter(([found]) => !OWN_NAMES.test(found))
      .map(([found]) => `${file}: ${found}`),
  );
  expect(named).toEqual([]);
});
