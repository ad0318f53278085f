import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadCorpus, transcriptPath } from "../../harness/corpus/case.ts";
import { newFolder } from "../../harness/temporary.ts";
import { findSummary, openCatalog } from "../store/index.ts";
import { describeRepairs, repairStored } from "./index.ts";

test.each(loadCorpus().map(({ id }) => id))(
  "the words for the repair of %s count each fault of its messages once, and what is none apart from them",
  async (id) => {
    const stateDirectory = newFolder();
    const folder = join(stateDirectory, "agents", "main", "sessions");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${id}.jsonl`), readFileSync(transcriptPath(id)));
    const catalog = openCatalog(stateDirectory);
    const { action, before, repairs } = await repairStored(catalog, findSummary(catalog, id), {
      stateDirectory,
      dryRun: true,
      root: () => "",
    });
    catalog.close();
    if (action !== "would-repair") return;
    const words = describeRepairs(before, repairs);
    expect(words.length).toBeGreaterThan(0);
    expect(words.some((part) => part === "the faults of its rows were corrected")).toBe(before.entries.length > 0);
    const counts = words
      .filter((part) => !/no fault|not JSON|of its rows/.test(part))
      .map((part) => Number.parseInt(part, 10));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(before.violations.length);
  },
);
