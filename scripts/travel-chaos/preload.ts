/**
 * Loaded into OpenClaw's process before anything else (`node --import`): kills it with SIGKILL at an exact step of a
 * turn that moves, and writes down every step before it is taken. It stands in front of node:sqlite and of the function
 * that appends to transcript files; nothing of ours takes part.
 */
import fs from "node:fs";
import { flushCompileCache, syncBuiltinESMExports } from "node:module";
import { isMainThread } from "node:worker_threads";
import { MOST_STEPS, ORDERS_FILE, STEPS_FILE, TAG, type Orders, type Part, type Place, type Step } from "./steps.ts";

const CARRYOVER = "openclaw-integrity:carryover";
const [ordersFile, stepsFile] = [process.env[ORDERS_FILE], process.env[STEPS_FILE]];
const { openSync, readFileSync, writeSync, appendFileSync } = fs;

let tag: string | undefined;
/** Those of the turn that is being stored; undefined while none is that was ordered. */
let orders: Orders | undefined;
let report = -1;
let steps = 0;
let sinceCarryover = -1;
let transactions = 0;
let isInTransaction = false;
let isOurs = false;

function textsOf(values: readonly unknown[]): string[] {
  return values.flatMap((value) =>
    typeof value === "string"
      ? [value]
      : value !== null && typeof value === "object" && !ArrayBuffer.isView(value)
        ? Object.values(value).filter((inner) => typeof inner === "string")
        : [],
  );
}

/** Sees whether a new turn begins to be stored: the tag of its note comes by for the first time. */
function look(texts: readonly string[]): void {
  const seen = texts.map((text) => TAG.exec(text)?.[0]).find((one) => one !== undefined);
  if (seen === undefined || seen === tag) return;
  tag = seen;
  const ordered = JSON.parse(readFileSync(ordersFile!, "utf8")) as Orders;
  orders = ordered.tag === seen ? ordered : undefined;
  [steps, sinceCarryover, transactions, isInTransaction] = [0, -1, 0, false];
}

/** The step that is about to be taken; undefined when nobody wants to know. Ends the process when that was ordered. */
function begin(
  kind: Step["kind"],
  verb: string,
  texts: readonly string[],
): { at: (part: Part) => boolean } | undefined {
  look(texts);
  if (!orders || steps >= MOST_STEPS) return undefined;
  const isCarryover =
    sinceCarryover < 0 && texts.some((text) => text.includes(CARRYOVER) && text.includes(orders!.tag));
  if (isCarryover) sinceCarryover = 0;
  else if (sinceCarryover >= 0) sinceCarryover++;
  if (verb === "BEGIN") [transactions, isInTransaction] = [transactions + 1, true];
  const step: Step = { n: steps++, kind, verb, isCarryover, ...(isInTransaction && { transaction: transactions }) };
  if (verb === "COMMIT" || verb === "ROLLBACK") isInTransaction = false;
  write(step);
  const { place } = orders;
  const isHere =
    place !== undefined &&
    (place.from === "batch" ? sinceCarryover < 0 && step.n === place.at : sinceCarryover === place.at);
  const at = (part: Part): boolean => isHere && place.part === part;
  if (at("before")) die(place!);
  return { at };
}

function write(line: Step | { killed: Place }): void {
  report = report < 0 ? openSync(stepsFile!, "a") : report;
  isOurs = true;
  writeSync(report, `${JSON.stringify(line)}\n`);
  isOurs = false;
}

function die(place: Place): never {
  write({ killed: place });
  process.kill(process.pid, "SIGKILL");
  // Nothing more is done, however long the signal takes.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function around<Result>(kind: Step["kind"], verb: string, values: readonly unknown[], work: () => Result): Result {
  const step = begin(kind, verb, textsOf(values));
  const result = work();
  if (step?.at("after")) die(orders!.place!);
  return result;
}

function verbOf(sql: string): string {
  return /[a-z]+/i.exec(sql)?.[0].toUpperCase() ?? "";
}

type Method = (this: unknown, ...values: unknown[]) => unknown;

/** Puts `over` in the place of a method; it is given the one that was there. */
function stand(prototype: object, name: string, over: (inner: Method) => Method): void {
  const holder = prototype as Record<string, Method>;
  holder[name] = over(holder[name]!);
}

function watchStatements(): void {
  const sqlite = process.getBuiltinModule("node:sqlite") as typeof import("node:sqlite") | undefined;
  if (!sqlite) return;
  for (const name of ["run", "get", "all", "iterate"]) {
    stand(
      sqlite.StatementSync.prototype,
      name,
      (inner) =>
        function (this: unknown, ...values) {
          return around("statement", verbOf((this as { sourceSQL: string }).sourceSQL), values, () =>
            inner.apply(this, values),
          );
        },
    );
  }
  stand(
    sqlite.DatabaseSync.prototype,
    "exec",
    (inner) =>
      function (this: unknown, ...values) {
        return around("statement", verbOf(String(values[0])), [], () => inner.apply(this, values));
      },
  );
}

const SHARES: readonly (readonly [Part, (bytes: number) => number])[] = [
  ["1 byte", () => 1],
  ["half", (bytes) => bytes >> 1],
  ["all but the newline", (bytes) => bytes - 1],
];

function watchLines(): void {
  stand(
    fs,
    "appendFileSync",
    (inner) =>
      function (this: unknown, ...values) {
        const [file, line] = values;
        if (isOurs || typeof file !== "string" || !file.endsWith(".jsonl") || typeof line !== "string")
          return inner.apply(this, values);
        const step = begin("line", "LINE", [line]);
        const cut = SHARES.find(([part]) => step?.at(part));
        if (cut) {
          const bytes = Buffer.from(line);
          appendFileSync(file, bytes.subarray(0, cut[1](bytes.length)));
          die(orders!.place!);
        }
        const result = inner.apply(this, values);
        if (step?.at("after")) die(orders!.place!);
        return result;
      },
  );
  syncBuiltinESMExports();
}

// Other threads and programs that OpenClaw starts inherit the environment.
if (isMainThread && ordersFile !== undefined && stepsFile !== undefined) {
  watchStatements();
  watchLines();
  // A process that is killed keeps nothing of what it has compiled, and the next one would compile it again.
  setInterval(() => flushCompileCache(), 2000).unref();
}
