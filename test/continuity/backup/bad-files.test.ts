import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { Continuity, ContinuityError, type ContinuityStore, openSqliteStore } from "../../../src/continuity/index.ts";
import { type EventPayload, eventRow } from "../../../src/continuity/ledger/events.ts";
import { newFolder } from "../../../harness/temporary.ts";
import { kinds, type Kind } from "../places.ts";
import { ledgerIn } from "../tampered.ts";

const RUNS = Number(process.env["CONTINUITY_RUNS"] ?? 60);
const [sqlite] = kinds() as [Kind, Kind];

let lines: string[];
let folder: string;
let store: ContinuityStore;
let files = 0;

beforeAll(async () => {
  folder = newFolder();
  const file = join(folder, "backup.jsonl");
  const ledger = await ledgerIn(await sqlite.place(), { everyEvents: 4 });
  const source = new Continuity({ store: ledger.store });
  const other = await source.project("q");
  for (const text of ["another", "one more", "the last one"]) await other.createGoal({ text });
  await source.backup({ file });
  lines = readFileSync(file, "utf8").trimEnd().split("\n");
  store = openSqliteStore({ file: ":memory:" });
});

/** Restores a file of these bytes; the refusal, or undefined. Nothing must have been written by a refused one. */
async function catchRefusal(bytes: string | Uint8Array): Promise<ContinuityError | undefined> {
  const file = join(folder, `${++files}.jsonl`);
  writeFileSync(file, bytes);
  try {
    await new Continuity({ store }).restore({ file });
  } catch (error) {
    if (!(error instanceof ContinuityError)) throw error;
    expect(await store.workflows()).toEqual([]);
    return error;
  }
  return undefined;
}

/** The text of a backup of these lines, with the right numbers and checksum at its end. */
function sealed(changed: readonly string[]): string {
  const body = `${changed.slice(0, -1).join("\n")}\n`;
  const end = (JSON.parse(lines.at(-1)!) as { end: object }).end;
  const sha256 = createHash("sha256").update(body).digest("hex");
  return `${body}${JSON.stringify({ end: { ...end, sha256 } })}\n`;
}

/** The line of an event with another reference, and the right checksum. */
function withObject(line: string): string {
  const { checksum: _, ...payload } = (JSON.parse(line) as { event: EventPayload & { checksum: string } }).event;
  const data = { ...payload.data, result_ref: `object:../${String(payload.data["result_checksum"])}` };
  const { checksum } = eventRow({ ...payload, data });
  return JSON.stringify({ event: { ...payload, data, checksum } });
}

const findLine = (part: string): number => lines.findIndex((line) => line.includes(part));

describe("a file that is no whole backup is refused before anything is written, in words for a person", () => {
  const named: Record<string, readonly [() => string | Uint8Array, string, RegExp]> = {
    "an empty file": [() => "", "foreign", /found an empty file/],
    "another program's file": [() => "PK\u0003\u0004 whatever", "foreign", /begins with "PK/],
    "JSON of something else": [() => '{"a":1}\n', "foreign", /begins with/],
    "an export": [() => '{"event_id":"x","event_seq":1}\n', "foreign", /continuity backup/],
    "a compressed backup": [() => gzipSync(lines.join("\n")), "foreign", /a compressed file.*unpacked/s],
    "a newer one": [
      () => [lines[0]!.replace('"version":1', '"version":2'), ...lines.slice(1)].join("\n"),
      "newer",
      /a backup of version 1; found version 2.*newer openclaw-integrity/s,
    ],
    "one that was cut between two lines": [() => `${lines.slice(0, -3).join("\n")}\n`, "damaged", /the file was cut/],
    "one that was cut within a line": [() => lines.join("\n").slice(0, -500), "damaged", /the file was cut/],
    "one without its last line end": [() => lines.join("\n"), "damaged", /the file was cut/],
    "one that goes on": [() => `${lines.join("\n")}\n{}\n`, "damaged", /nothing behind the last line/],
    "one with other line ends": [() => `${lines.join("\r\n")}\r\n`, "damaged", /it was changed/],
    "one with an edited text": [
      () => `${lines.map((line) => line.replaceAll("half of it", "all of it")).join("\n")}\n`,
      "damaged",
      /line \d+ of .* an event with checksum/,
    ],
    "one with another result": [
      () => sealed(lines.map((line) => line.replace(/("result":\{"text":"[^}]*)too long/, "$1too short"))),
      "damaged",
      /a result with checksum/,
    ],
    "one with a missing event": [
      () => sealed(lines.toSpliced(findLine('"event_seq":3,'), 1)),
      "damaged",
      /events are missing or duplicated/,
    ],
    "one with an event of another project": [
      () => sealed(lines.toSpliced(-2, 0, lines[2]!)),
      "damaged",
      /an event of workflow/,
    ],
    "one with a missing result": [
      () => sealed(lines.filter((line) => !line.startsWith('{"result"'))),
      "damaged",
      /the result of the step/,
    ],
    "one with a result that another project's object holds": [
      () => sealed(lines.map((line) => (line.includes('"result_ref"') ? withObject(line) : line))),
      "damaged",
      /a reference to a result of its own; found "object:\.\.\//,
    ],
    "one with a project of another id": [
      () =>
        sealed(
          lines.map((line) => line.replace('"project_id":"q","workflow_id":"', '"project_id":"r","workflow_id":"')),
        ),
      "damaged",
      /the id .* of project r/,
    ],
    "one with another number of events": [
      () => lines.join("\n").replace(/"events":\d+/, '"events":1') + "\n",
      "damaged",
      /1 events in the file, as its last line says; found \d+/,
    ],
    "one with an event that is deeper than a machine's stack": [
      () => [...lines.slice(0, 2), `{"event":{"data":${"[".repeat(200_000)}${"]".repeat(200_000)}}}`].join("\n") + "\n",
      "damaged",
      /line 3 of .* an event/,
    ],
  };
  for (const [name, [bytes, code, message]] of Object.entries(named))
    it(`so is ${name}`, async () => {
      const refusal = await catchRefusal(bytes());
      expect(refusal).toMatchObject({ code, message: expect.stringMatching(message) });
      expect(refusal!.message).toMatch(/^expected .*; found .*Nothing was written\.$/s);
    });

  it("a folder, and a file that is not there", async () => {
    mkdirSync(join(folder, "folder"));
    const continuity = new Continuity({ store });
    await expect(continuity.restore({ file: join(folder, "folder") })).rejects.toMatchObject({ code: "bad-input" });
    await expect(continuity.restore({ file: join(folder, "nowhere") })).rejects.toMatchObject({ code: "not-found" });
  });

  it("whichever byte is changed, taken out or doubled, and wherever the file is cut", async () => {
    const whole = Buffer.from(`${lines.join("\n")}\n`);
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: whole.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        fc.constantFrom("change", "remove", "double", "cut"),
        async (at, mask, how) => {
          const bytes = Buffer.from(whole);
          bytes[at]! ^= mask;
          const spoiled = {
            change: bytes,
            remove: Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1)]),
            double: Buffer.concat([whole.subarray(0, at + 1), whole.subarray(at)]),
            cut: whole.subarray(0, at),
          }[how];
          expect(await catchRefusal(spoiled), `${how} at ${at}`).toBeDefined();
        },
      ),
      { numRuns: RUNS },
    );
  });
});
