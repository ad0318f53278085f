import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalText, type Json, sha256 } from "../../base/json.ts";
import type { EventRow } from "../../ledger/store.ts";
import { toStore, wholePayload } from "./event-payload.ts";

const storedPayload = (row: EventRow): string => toStore(row).payload;

const COLUMNS = {
  event_id: "e",
  workflow_id: "w",
  event_seq: 3,
  event_type: "step_started",
  timestamp: "2026-11-25T01:24:47.250Z",
  schema_version: "5",
  producer_version: "0.1.0",
};
const author = { entry: "library", name: null };

function makeRow(payload: object): EventRow {
  const text = canonicalText({ ...COLUMNS, ...payload });
  return { ...COLUMNS, payload: text, checksum: sha256(text) };
}

const name = fc.constantFrom(
  "of",
  "path",
  "op",
  "value",
  "+",
  "-",
  "by",
  "at",
  "author",
  "data",
  "step_id",
  "input_text",
);
const text = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom("worked_at", COLUMNS.timestamp, "json:1", "json:", "row:1", sha256("1"), sha256("")),
);
const value = fc.oneof(text, fc.constant(null), fc.nat({ max: 3 }), fc.constant(author));
const fields = fc.dictionary(name, value, { maxKeys: 5, noNullPrototype: true });
/** Operations of a delta and what looks like the short form of one. */
const operation: fc.Arbitrary<Json> = fc.oneof(
  fc.constant("worked_at"),
  fc.constant("/x"),
  fc.tuple(text, text),
  fc.record({ op: fc.constant("remove"), path: fc.constantFrom("/x", "x") }),
  fc.record({ op: fc.constant("replace"), path: fc.constantFrom("/x", "x"), value: text }),
  fc.record({ op: fc.constant("replace"), path: fc.constant("/worked_at"), value: text }),
  fc.record({ op: fc.constant("add"), path: text, value: fields }),
  fc.record({ of: fields, path: text }),
  fields,
) as fc.Arbitrary<Json>;
const result = text.map((content) => ({ result_ref: `json:${content}`, result_checksum: sha256(content) }));
const payloads = fc.record(
  {
    author: fc.oneof(fc.constant(author), value),
    data: fc.oneof(
      fields,
      fc.tuple(fields, result).map(([one, other]) => ({ ...one, ...other })),
      value,
    ),
    delta: fc.oneof(fc.array(operation, { maxLength: 4 }), value),
    previous: fc.option(text),
  },
  { requiredKeys: [], noNullPrototype: true },
);

describe("the stored form of a payload", () => {
  it("leads back to the very payload that the checksum is of, whatever that holds", () => {
    fc.assert(
      fc.property(payloads, (payload) => {
        const row = makeRow(payload);
        const before = (payload.previous as string | null | undefined) ?? null;
        expect(wholePayload({ ...row, payload: storedPayload(row) }, before)).toBe(row.payload);
      }),
      { numRuns: 2000 },
    );
  });

  it("does not lead back to the payload of an event whose predecessor was changed or is missing", () => {
    const row = makeRow({ author, data: {}, delta: [], previous: sha256("before"), state_checksum: sha256("state") });
    const stored = { ...row, payload: storedPayload(row) };
    expect(wholePayload(stored, sha256("before"))).toBe(row.payload);
    for (const other of [sha256("another"), null]) expect(wholePayload(stored, other)).not.toBe(row.payload);
  });

  it("does not lead back to the payload when a bit was changed that its encoding does not need", () => {
    const row = makeRow({ author, data: {}, delta: [], previous: sha256("before"), state_checksum: sha256("state") });
    const payload = storedPayload(row);
    const { state } = JSON.parse(payload) as { state: string };
    const others = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"].filter(
      (last) => last !== state.at(-1),
    );
    for (const last of others) {
      const changed = payload.replace(state, `${state.slice(0, -1)}${last}`);
      expect(wholePayload({ ...row, payload: changed }, sha256("before")), last).not.toBe(row.payload);
    }
  });

  it("leaves out what columns, author and data say: a third of the beginning of a step remains", () => {
    const step = {
      step_id: "pay",
      attempt_id: 1,
      fencing_token: 1,
      step_type: "idempotent",
      idempotency_key: "invoice-17",
      input_checksum: sha256('{"number":17}'),
      input_text: '{"number":17}',
      task_id: null,
    };
    const row = makeRow({
      author,
      data: { ...step, owner_id: "host-1:4711" },
      delta: [
        { op: "replace", path: "/worked_at", value: COLUMNS.timestamp },
        { op: "add", path: "/open_steps/pay", value: { ...step, started_at: COLUMNS.timestamp, author } },
      ],
      previous: sha256("before"),
      state_checksum: sha256(""),
    });
    expect(storedPayload(row).length).toBeLessThan(row.payload.length / 2.8);
    expect(JSON.parse(storedPayload(row))).toMatchObject({ data: { step_id: "pay" } });
  });

  it("is the payload itself where columns and payload differ, so that the difference is found by who reads it", () => {
    const row = { ...makeRow({ data: {}, delta: [] }), event_seq: 4 };
    expect(storedPayload(row)).toBe(row.payload);
    expect(wholePayload(row, null)).toBe(row.payload);
  });

  it("is returned as it is when it cannot be read", () => {
    for (const payload of [
      "",
      "no JSON",
      "[]",
      "3",
      "null",
      '{"data":{},"delta":[{"of":3,"path":"/x"}],"x":"\\ud800"}',
    ])
      expect(wholePayload({ ...makeRow({}), payload }, null)).toBe(payload);
  });
});
