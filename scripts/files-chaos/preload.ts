/**
 * Loaded into OpenClaw's process before anything else (`node --import`): kills it with SIGKILL at an exact step of a move
 * with files, and writes down every step before it is taken. It stands in front of node:sqlite, of the functions that
 * change files, and of the start of git; nothing of ours takes part.
 */
import childProcess from "node:child_process";
import fs from "node:fs";
import { flushCompileCache, syncBuiltinESMExports } from "node:module";
import { isMainThread } from "node:worker_threads";
import { MARK, MOST_STEPS, ORDERS_FILE, STEPS_FILE, TAG, type Orders, type Place, type Step } from "./steps.ts";

const [ordersFile, stepsFile] = [process.env[ORDERS_FILE], process.env[STEPS_FILE]];
const { openSync, readFileSync, writeSync, appendFileSync } = fs;

let tag: string | undefined;
let orders: Orders | undefined;
let report = -1;
let [steps, sinceIntent] = [0, -1];
let isUnderWay = false;
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

/** Sees whether the answer that asks for a move is stored: the tag of its note comes by for the first time. */
function look(texts: readonly string[]): void {
  const seen = texts.map((text) => TAG.exec(text)?.[0]).find((one) => one !== undefined);
  if (seen === undefined || seen === tag) return;
  tag = seen;
  const ordered = JSON.parse(readFileSync(ordersFile!, "utf8")) as Orders;
  orders = ordered.tag === seen ? ordered : undefined;
  [steps, sinceIntent, isUnderWay] = [0, -1, false];
}

type At = (part: Place["part"]) => boolean;
const NEVER: At = () => false;

/** Counts a step that is about to be taken; ends the process when that was ordered. */
function begin(verb: string, texts: readonly string[], isCut = false): At {
  if (isOurs) return NEVER;
  look(texts);
  if (!orders || steps >= MOST_STEPS) return NEVER;
  if (sinceIntent >= 0) sinceIntent++;
  if (verb === "writeFileSync" && texts[0]?.endsWith(MARK) === true) [sinceIntent, isUnderWay] = [0, true];
  const step: Step = { n: steps++, sinceIntent, verb, isCut, isUnderWay };
  if (verb === "rmSync" && texts[0]?.endsWith(MARK) === true) isUnderWay = false;
  write(step);
  const { place } = orders;
  const isHere =
    place !== undefined &&
    (place.from === "answer" ? sinceIntent < 0 && step.n === place.at : sinceIntent === place.at);
  const at: At = (part) => isHere && place.part === part;
  if (at("before")) die(place!);
  return at;
}

function write(line: Step | { killed: Place }): void {
  isOurs = true;
  report = report < 0 ? openSync(stepsFile!, "a") : report;
  writeSync(report, `${JSON.stringify(line)}\n`);
  isOurs = false;
}

function die(place: Place): never {
  write({ killed: place });
  process.kill(process.pid, "SIGKILL");
  // Nothing more is done, however long the signal takes.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function around<Result>(verb: string, texts: readonly string[], work: () => Result): Result {
  const at = begin(verb, texts);
  const result = work();
  if (at("after")) die(orders!.place!);
  return result;
}

type Method = (this: unknown, ...values: unknown[]) => unknown;

/** Puts `over` in the place of a method; it is given the one that was there. */
function stand(holder: object, name: string, over: (inner: Method) => Method): void {
  const methods = holder as Record<string, Method>;
  methods[name] = over(methods[name]!);
}

function verbOf(sql: string): string {
  return /[a-z]+/i.exec(sql)?.[0].toUpperCase() ?? "";
}

function watchStatements(): void {
  const sqlite = process.getBuiltinModule("node:sqlite");
  for (const name of ["run", "get", "all", "iterate"])
    stand(
      sqlite.StatementSync.prototype,
      name,
      (inner) =>
        function (this: unknown, ...values) {
          return around(verbOf((this as { sourceSQL: string }).sourceSQL), textsOf(values), () =>
            inner.apply(this, values),
          );
        },
    );
  stand(
    sqlite.DatabaseSync.prototype,
    "exec",
    (inner) =>
      function (this: unknown, ...values) {
        return around(verbOf(String(values[0])), [], () => inner.apply(this, values));
      },
  );
}

/** Functions that change files, and how many of their first arguments are paths. */
const CHANGING = { renameSync: 2, unlinkSync: 1, rmSync: 1, rmdirSync: 1, mkdirSync: 1, symlinkSync: 2, chmodSync: 1 };

/** Whether a path may be one of a move's: in the workspace (by an open folder, too) or among the snapshots. */
function isOfMove(path: string): boolean {
  return path.startsWith("/proc/self/fd/") || path.includes("openclaw-integrity-");
}

function watchFiles(): void {
  for (const [name, paths] of Object.entries(CHANGING))
    stand(
      fs,
      name,
      (inner) =>
        function (this: unknown, ...values) {
          const texts = values.slice(0, paths).map(String);
          return texts.some(isOfMove)
            ? around(name, texts, () => inner.apply(this, values))
            : inner.apply(this, values);
        },
    );
  stand(
    fs,
    "writeFileSync",
    (inner) =>
      function (this: unknown, ...values) {
        const path = String(values[0]);
        return isOfMove(path)
          ? around("writeFileSync", [path], () => inner.apply(this, values))
          : inner.apply(this, values);
      },
  );
  // The bytes of a staged file.
  stand(
    fs,
    "writeSync",
    (inner) =>
      function (this: unknown, ...values) {
        const [handle, bytes] = values;
        if (isOurs || !isUnderWay || !(bytes instanceof Uint8Array)) return inner.apply(this, values);
        const at = begin("writeSync", [], true);
        if (at("half")) {
          writeSync(handle as number, bytes.subarray(0, bytes.length >> 1));
          die(orders!.place!);
        }
        const result = inner.apply(this, values);
        if (at("after")) die(orders!.place!);
        return result;
      },
  );
  stand(
    fs,
    "appendFileSync",
    (inner) =>
      function (this: unknown, ...values) {
        const [file, line] = values;
        if (isOurs || typeof file !== "string" || !file.endsWith(".jsonl") || typeof line !== "string")
          return inner.apply(this, values);
        const at = begin("appendFileSync", [line], true);
        if (at("half")) {
          const bytes = Buffer.from(line);
          appendFileSync(file, bytes.subarray(0, bytes.length >> 1));
          die(orders!.place!);
        }
        const result = inner.apply(this, values);
        if (at("after")) die(orders!.place!);
        return result;
      },
  );
  stand(
    childProcess,
    "spawn",
    (inner) =>
      function (this: unknown, ...values) {
        return values[0] === "git" ? around("git", [], () => inner.apply(this, values)) : inner.apply(this, values);
      },
  );
  syncBuiltinESMExports();
}

// Other threads and programs that OpenClaw starts inherit the environment.
if (isMainThread && ordersFile !== undefined && stepsFile !== undefined) {
  watchStatements();
  watchFiles();
  // A process that is killed keeps nothing of what it has compiled, and the next one would compile it again.
  setInterval(() => flushCompileCache(), 2000).unref();
}
