/**
 * Loaded into OpenClaw's process before anything else (`node --import`): kills it with SIGKILL at an exact step of a
 * turn that moves, and writes down every step before it is taken. It stands in front of node:sqlite and of the function
 * that appends to transcript files; nothing of ours takes part.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { isMainThread } from "node:worker_threads";
import { keepCompiled, Report, stand, standBeforeStatements } from "./stand-in.ts";
import { MOST_STEPS, ORDERS_FILE, STEPS_FILE, TAG, type Orders, type Part, type Step } from "./steps.ts";

const CARRYOVER = "openclaw-integrity:carryover";
const [ordersFile, stepsFile] = [process.env[ORDERS_FILE], process.env[STEPS_FILE]];
const { readFileSync, appendFileSync } = fs;
const report = new Report(stepsFile ?? "");

let tag: string | undefined;
/** Those of the turn that is being stored; undefined while none is that was ordered. */
let orders: Orders | undefined;
let steps = 0;
let sinceCarryover = -1;
let transactions = 0;
let isInTransaction = false;

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
  report.write(step);
  const { place } = orders;
  const isHere =
    place !== undefined &&
    (place.from === "batch" ? sinceCarryover < 0 && step.n === place.at : sinceCarryover === place.at);
  const at = (part: Part): boolean => isHere && place.part === part;
  if (at("before")) report.die(place!);
  return { at };
}

function around(verb: string, texts: readonly string[], work: () => unknown): unknown {
  const step = begin("statement", verb, texts);
  const result = work();
  if (step?.at("after")) report.die(orders!.place!);
  return result;
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
        if (report.isWriting || typeof file !== "string" || !file.endsWith(".jsonl") || typeof line !== "string")
          return inner.apply(this, values);
        const step = begin("line", "LINE", [line]);
        const cut = SHARES.find(([part]) => step?.at(part));
        if (cut) {
          const bytes = Buffer.from(line);
          appendFileSync(file, bytes.subarray(0, cut[1](bytes.length)));
          report.die(orders!.place!);
        }
        const result = inner.apply(this, values);
        if (step?.at("after")) report.die(orders!.place!);
        return result;
      },
  );
  syncBuiltinESMExports();
}

// Other threads and programs that OpenClaw starts inherit the environment.
if (isMainThread && ordersFile !== undefined && stepsFile !== undefined) {
  standBeforeStatements(around);
  watchLines();
  keepCompiled();
}
