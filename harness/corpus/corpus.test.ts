import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { SYNTHETIC } from "./builder.ts";
import { loadCorpus, outputPath, outputsOnDisk, transcriptPath } from "./case.ts";
import { CASES } from "./cases/index.ts";
import { isOutput, renderAll } from "./generate.ts";
import { LEFT_OUT, REPORTS } from "./reports.ts";

const corpus = loadCorpus();
const transcripts = new Map(corpus.map(({ id }) => [id, readFileSync(transcriptPath(id), "utf8")]));

describe("the corpus as a whole", () => {
  test("is what the generator writes, no file more and none less", () => {
    const outputs = renderAll();
    const onDisk = outputsOnDisk().filter(isOutput);
    expect(onDisk.toSorted()).toEqual([...outputs.keys()].toSorted());
    const stale = onDisk.filter((name) => readFileSync(outputPath(name), "utf8") !== outputs.get(name));
    expect(stale, "run `node harness/corpus/generate.ts`").toEqual([]);
  });

  test("has enough cases, each with its own id, in less than 3 MB", () => {
    expect(corpus.length).toBeGreaterThanOrEqual(60);
    expect(new Set(CASES.map(({ id }) => id)).size).toBe(CASES.length);
    const bytes = [...renderAll().values()].reduce((sum, content) => sum + Buffer.byteLength(content), 0);
    expect(bytes).toBeLessThan(3 * 1024 * 1024);
  });

  test("has a case for every report that names a shape, or a reason why not", () => {
    const covered = new Set(CASES.flatMap(({ report, also }) => [report, ...(also ?? [])]));
    const all = Object.values(REPORTS).flat();
    expect(all.filter((issue) => !covered.has(`openclaw#${issue}`) && !(issue in LEFT_OUT))).toEqual([]);
    expect(Object.keys(LEFT_OUT).filter((issue) => covered.has(`openclaw#${issue}`))).toEqual([]);
    for (const issue of [960, 1021, 1139, 1140]) expect(covered).toContain(`pi#${issue}`);
  });
});

describe.each(corpus)("$id", ({ id, report, reported, title, error, apis, mustReach, mustNotReach = [] }) => {
  const transcript = transcripts.get(id)!;

  test("says where it comes from and what it is", () => {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)+$/);
    expect(report).toMatch(/^(openclaw#\d+|pi#\d+|measured|captured)$/);
    expect(reported).toMatch(/^2026-\d\d-\d\d$/);
    expect(title).not.toBe("");
    expect(error).not.toBe("");
    expect(apis).not.toEqual([]);
  });

  test("names real content that must reach the provider", () => {
    expect(mustReach).not.toEqual([]);
    expect(mustReach.filter((marker) => !transcript.includes(marker))).toEqual([]);
    // A marker must look the same in every body, whatever its JSON escapes, and must not be found by chance.
    expect(mustReach.filter((marker) => /["\\\n]/.test(marker) || marker.length < 7)).toEqual([]);
    expect(mustReach.filter((marker) => mustNotReach.includes(marker))).toEqual([]);
    expect(transcript).not.toMatch(/\{\{/);
  });

  test("holds what must not reach the provider, or names OpenClaw's own text", () => {
    expect(mustNotReach.filter((marker) => marker !== SYNTHETIC && !transcript.includes(marker))).toEqual([]);
  });
});
