import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { circles, grouped, importsOf, REPOSITORY } from "./imports.ts";

const ALL = importsOf("src", "harness", "scripts", "test");
const isTest = (file: string): boolean => file.endsWith(".test.ts");
const SOURCES = new Map([...ALL].filter(([file]) => file.startsWith("src/") && !isTest(file)));
/** `src/<room>`. */
const roomOf = (file: string): string => file.split("/").slice(0, 2).join("/");

describe("a circle of imports, types included, cannot be read from any end", () => {
  it("is in no files", () => expect(circles(ALL)).toEqual([]));

  it("is in no rooms", () => expect(circles(grouped(SOURCES, roomOf))).toEqual([]));

  it("is in docs/architecture.md, whose list of who imports whom a new import has to be compared with", () => {
    const text = readFileSync(new URL("../../docs/architecture.md", import.meta.url), "utf8");
    const listed = /All imports between rooms.*?\n\n(?<list>.*?)\n\n/s.exec(text)?.groups?.["list"] ?? "";
    const rooms = [...listed.replaceAll(/\n {2}/g, " ").matchAll(/^- \*\*(.+)\*\*: (.+)$/gm)];
    const documented = rooms.map(([, room, targets]) => [room, targets === "none" ? [] : targets!.split(", ")]);
    const found = [...grouped(SOURCES, roomOf)].map(([room, targets]) => [
      basename(room),
      [...targets].map((target) => basename(target)).toSorted(),
    ]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(documented));
  });

  it.each([...new Set([...SOURCES.keys()].map(roomOf))])("is in no sub-rooms of %s", (room) => {
    const inside = new Map([...SOURCES].filter(([file]) => roomOf(file) === room));
    // What lies in the room itself is a room for each file: the index above the sub-rooms, a ground below them.
    expect(circles(grouped(inside, (file) => (dirname(file) === room ? file : dirname(file))))).toEqual([]);
  });
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
  ".cache/",
  "src/plugin/worker.mjs",
  "src/plugin/store-process.mjs",
  "src/plugin/keep-process.mjs",
  "results/",
  "dist/",
];

it("a file that is found by its place beside another one is there: no import names it, so that no compiler misses it", () => {
  const missing = [...ALL.keys()].flatMap((file) => {
    const text = readFileSync(join(REPOSITORY, file), "utf8");
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
