/** State directories for the tests of the doctor, with sessions that are files. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../../harness/temporary.ts";
import {
  makeCheckup,
  renderCheckupPage,
  reportLines,
  type Checkup,
  type CheckupOptions,
} from "../../src/doctor/index.ts";
import type { Drawing, DrawnEntry, DrawnItem } from "../../src/doctor/drawing/drawing.ts";
import { openCatalog } from "../../src/store/index.ts";
import { loadCorpus, transcriptPath } from "../../harness/corpus/case.ts";

/** A new state directory. */
export class State {
  readonly directory = newFolder();

  folder(agent = "main"): string {
    const folder = join(this.directory, "agents", agent, "sessions");
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** Stores a transcript; its path. */
  put(id: string, transcript: string, agent = "main"): string {
    const file = join(this.folder(agent), `${id}.jsonl`);
    writeFileSync(file, transcript);
    return file;
  }

  /** Which conversation goes on in which session. */
  index(keys: Readonly<Record<string, string>>, agent = "main"): void {
    writeFileSync(
      join(this.folder(agent), "sessions.json"),
      JSON.stringify(Object.fromEntries(Object.entries(keys).map(([key, sessionId]) => [key, { sessionId }]))),
    );
  }

  incident(name: string, record: unknown): void {
    const folder = join(this.directory, "logs");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), typeof record === "string" ? record : JSON.stringify(record));
  }

  async check(options: Partial<CheckupOptions> = {}): Promise<Checkup> {
    const catalog = openCatalog(this.directory);
    try {
      return await makeCheckup(catalog, { stateDirectory: this.directory, isDrawn: true, ...options });
    } finally {
      catalog.close();
    }
  }
}

/** The transcripts of the corpus by their ids. */
export function corpusTranscripts(): [id: string, transcript: string][] {
  return loadCorpus().map(({ id }) => [id, readFileSync(transcriptPath(id), "utf8")]);
}

/** Everything that a person may get to see of a checkup. */
export function showCheckup(checkup: Checkup, withWords = false): string {
  return [renderCheckupPage(checkup, { withWords }), ...reportLines(checkup, 100, true)].join("\n");
}

/** The entries of a drawing's line that are drawn one by one, also in a run that can be opened. */
export function entriesIn(items: readonly DrawnItem[]): DrawnEntry[] {
  return items.flatMap((item) =>
    item.kind === "entry" ? [item.entry] : item.kind === "collapsed" ? item.entries : [],
  );
}

/** All departures of a drawing, also those that leave another one. */
export function departuresIn({ line, before }: Pick<Drawing, "line" | "before">): Drawing["before"][number][] {
  const own = [...before, ...entriesIn(line).flatMap(({ departures }) => departures)];
  return [...own, ...own.flatMap(({ items }) => departuresIn({ line: items, before: [] }))];
}
