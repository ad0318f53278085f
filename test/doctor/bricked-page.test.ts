/** docs/bricked.md: a person comes by the error's text from a search engine, and pastes it into `why` next. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { loadCorpus } from "../../harness/corpus/case.ts";
import { findOrigin, readFailure } from "../../src/doctor/why.ts";
import { spelledPlain } from "../../src/recovery/errors/classify.ts";
import { openCatalog } from "../../src/store/index.ts";
import { REFUSED } from "../health/refused-records.ts";
import { FAILURE_TEXTS } from "../recovery/failure-texts.ts";
import { State } from "./state.ts";

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
const codes = (cell: string): string[] =>
  [...cell.matchAll(/``\s?(.+?)\s?``|`([^`]+)`/g)].map(([, long, short]) => long ?? short ?? "");

/** Each text of the table, with the kind that stands first in the cell beside it. */
const TEXTS = read("docs/bricked.md")
  .split("\n")
  .filter((line) => line.startsWith("| ") && line.includes("`"))
  .flatMap((line) => {
    const [said = "", wrong = ""] = line.slice(2).split(" | ");
    return codes(said).map((text) => ({ text, kind: codes(wrong)[0] ?? "" }));
  });

/** Where providers and OpenClaw were heard: reports, the corpus, and runs of the real OpenClaw. */
const HEARD = [
  ...FAILURE_TEXTS.map(([, text]) => text),
  ...loadCorpus().map(({ error }) => error),
  ...REFUSED.flatMap(({ said, record }) => [said, JSON.stringify(record)]),
  ...["results/recovery.md", "results/disk-repair.md"].map(read),
  ...["test/health/record-faults.test.ts", "test/projection/outdated.heavy.test.ts"].map(read),
].map(spelledPlain);

it("has rows", () => expect(TEXTS.length).toBeGreaterThan(20));

it.each(TEXTS)("$text is $kind to `why`, and somebody has seen it", async ({ text, kind }) => {
  const { failure } = readFailure(text);
  const catalog = openCatalog(new State().directory);
  const { own } = await findOrigin(catalog, text, { stateDirectory: "" });
  catalog.close();
  expect((own && "record") ?? (failure.kind === "history" ? failure.problem : failure.kind)).toBe(kind);
  expect(HEARD.filter((heard) => heard.includes(spelledPlain(text)))).not.toEqual([]);
});
