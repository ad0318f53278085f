/**
 * Loaded into OpenClaw's process before anything else (`node --import`): kills it with SIGKILL at an exact step of a move
 * with files, and writes down every step before it is taken. It stands in front of node:sqlite, of the functions that
 * change files, and of the start of git; nothing of ours takes part.
 */
import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { isMainThread } from "node:worker_threads";
import { keepCompiled, Report, stand, standBeforeStatements } from "../travel-chaos/stand-in.ts";
import { MARK, MOST_STEPS, ORDERS_FILE, STEPS_FILE, TAG, type Orders, type Place, type Step } from "./steps.ts";

const [ordersFile, stepsFile] = [process.env[ORDERS_FILE], process.env[STEPS_FILE]];
const { readFileSync, writeSync, appendFileSync } = fs;
const report = new Report(stepsFile ?? "");

let tag: string | undefined;
let orders: Orders | undefined;
let [steps, sinceIntent] = [0, -1];
let isUnderWay = false;

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
  if (report.isWriting) return NEVER;
  look(texts);
  if (!orders || steps >= MOST_STEPS) return NEVER;
  if (sinceIntent >= 0) sinceIntent++;
  if (verb === "writeFileSync" && texts[0]?.endsWith(MARK) === true) [sinceIntent, isUnderWay] = [0, true];
  const step: Step = { n: steps++, sinceIntent, verb, isCut, isUnderWay };
  if (verb === "rmSync" && texts[0]?.endsWith(MARK) === true) isUnderWay = false;
  report.write(step);
  const { place } = orders;
  const isHere =
    place !== undefined &&
    (place.from === "answer" ? sinceIntent < 0 && step.n === place.at : sinceIntent === place.at);
  const at: At = (part) => isHere && place.part === part;
  if (at("before")) report.die(place!);
  return at;
}

function around(verb: string, texts: readonly string[], work: () => unknown): unknown {
  const at = begin(verb, texts);
  const result = work();
  if (at("after")) report.die(orders!.place!);
  return result;
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
        if (report.isWriting || !isUnderWay || !(bytes instanceof Uint8Array)) return inner.apply(this, values);
        const at = begin("writeSync", [], true);
        if (at("half")) {
          writeSync(handle as number, bytes.subarray(0, bytes.length >> 1));
          report.die(orders!.place!);
        }
        const result = inner.apply(this, values);
        if (at("after")) report.die(orders!.place!);
        return result;
      },
  );
  stand(
    fs,
    "appendFileSync",
    (inner) =>
      function (this: unknown, ...values) {
        const [file, line] = values;
        if (report.isWriting || typeof file !== "string" || !file.endsWith(".jsonl") || typeof line !== "string")
          return inner.apply(this, values);
        const at = begin("appendFileSync", [line], true);
        if (at("half")) {
          const bytes = Buffer.from(line);
          appendFileSync(file, bytes.subarray(0, bytes.length >> 1));
          report.die(orders!.place!);
        }
        const result = inner.apply(this, values);
        if (at("after")) report.die(orders!.place!);
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
  standBeforeStatements(around);
  watchFiles();
  keepCompiled();
}
