/**
 * How much work a call does, as a number that is the same on every machine and in every run: how often each block of
 * the sources was executed, as V8's precise coverage counts them, and how many items or characters the built-in
 * functions went through that the sources call.
 */
import { Session } from "node:inspector";
import { serialize } from "node:v8";

/** What built-in functions went through since the last look. */
let builtIn = 0;

type Method = (this: unknown, ...values: unknown[]) => unknown;

/** Replaces a built-in function by one that also adds what a call of it costs. */
function counted(
  holder: object,
  name: PropertyKey,
  cost: (self: unknown, values: readonly unknown[], result: unknown) => number,
): void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, name);
  const inner = descriptor?.value as Method | undefined;
  if (!descriptor || typeof inner !== "function") throw new Error(`Expected a function ${String(name)}, found none`);
  const counting: Method = function (...values) {
    const result = Reflect.apply(inner, this, values);
    builtIn += cost(this, values, result);
    return result;
  };
  Object.defineProperty(holder, name, { ...descriptor, value: counting });
}

/** Characters or items; 1 of everything else. */
function countUnits(value: unknown): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return ArrayBuffer.isView(value) ? value.byteLength : 1;
}

const ofSelf = (self: unknown): number => countUnits(self);
const ofResult = (_self: unknown, _values: readonly unknown[], result: unknown): number => countUnits(result);
const ofFirst = (_self: unknown, values: readonly unknown[]): number => countUnits(values[0]);
/** What was looked through before it was found. */
const upTo = (self: unknown, _values: readonly unknown[], result: unknown): number =>
  typeof result === "number" && result >= 0 ? result + 1 : countUnits(self);
/** What was looked through from the end. */
const fromEnd = (self: unknown, _values: readonly unknown[], result: unknown): number =>
  typeof result === "number" && result >= 0 ? countUnits(self) - result : countUnits(self);

/** Counts from now on what the built-in functions do. Once in a process; nothing takes it back. */
function countBuiltIns(): void {
  for (const name of ["includes", "fill", "flat", "join", "reverse", "shift", "toReversed", "unshift"])
    counted(Array.prototype, name, ofSelf);
  for (const name of ["concat", "filter", "flatMap", "map", "slice", "sort", "toSorted", "toSpliced"])
    counted(Array.prototype, name, ofResult);
  counted(Array.prototype, "indexOf", upTo);
  counted(Array.prototype, "lastIndexOf", fromEnd);
  counted(
    Array.prototype,
    "splice",
    (self, [from], result) =>
      countUnits(result) + (Number(from) < 0 ? -Number(from) : Math.max(0, countUnits(self) - Number(from))),
  );
  // A loop, a spread and a constructor take what they need by these.
  for (const iterable of [[], new Map(), new Set(), new Map().values(), ""] as Iterable<unknown>[]) {
    const prototype = Object.getPrototypeOf(iterable[Symbol.iterator]()) as object;
    if (!isCounting.has(prototype)) counted(prototype, "next", () => 1);
    isCounting.add(prototype);
  }
  for (const name of ["entries", "keys", "values"]) counted(Object, name, ofResult);
  for (const name of [
    "includes",
    "search",
    "split",
    "trim",
    "trimEnd",
    "trimStart",
    "isWellFormed",
    "normalize",
    "replace",
    "replaceAll",
    "match",
    "toLowerCase",
    "toUpperCase",
    "toWellFormed",
  ]) {
    counted(String.prototype, name, ofSelf);
  }
  counted(
    String.prototype,
    "indexOf",
    (self, [, from], result) => (result === -1 ? countUnits(self) : Number(result) + 1) - Number(from ?? 0),
  );
  counted(String.prototype, "lastIndexOf", fromEnd);
  countExec();
  counted(JSON, "parse", ofFirst);
  counted(JSON, "stringify", ofResult);
  counted(globalThis, "structuredClone", (_self, _values, result) => serialize(result).byteLength);
  counted(Buffer, "from", ofResult);
  counted(Buffer, "concat", ofResult);
}
const isCounting = new Set<object>();

/**
 * An expression goes on from where it was; what it takes beyond one look at each character is for patterns.slow.test.ts
 * to tell.
 */
function countExec(): void {
  const { exec } = RegExp.prototype;
  function counting(this: RegExp, text: string): RegExpExecArray | null {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const found = exec.call(this, text);
    builtIn += found ? found.index + found[0].length - from + 1 : this.sticky ? 1 : text.length - from + 1;
    return found;
  }
  const prototype: object = RegExp.prototype;
  Object.defineProperty(prototype, "exec", { value: counting, writable: true, configurable: true });
}

/**
 * Counts the work of calls. One in a process, made before the sources are imported: only what is compiled afterwards is
 * counted block by block.
 */
export class Operations {
  readonly #session = new Session();

  constructor() {
    this.#session.connect();
    this.#post("Profiler.enable");
    this.#post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    countBuiltIns();
  }

  /** Forgets what was executed until now. */
  async start(): Promise<void> {
    // The inspector's answers are let go of in between.
    await new Promise((resolve) => setImmediate(resolve));
    this.#taken();
  }

  /** What the call of `work` costs, awaited where it has to be. Behind {@link start} or another call of this. */
  async measure(work: () => unknown): Promise<number> {
    builtIn = 0;
    await work();
    const own = builtIn;
    return this.#taken() + own;
  }

  /** How often the blocks of the sources were executed since the last look. */
  #taken(): number {
    const { result } = this.#post("Profiler.takePreciseCoverage") as {
      result: { url: string; functions: { ranges: { count: number }[] }[] }[];
    };
    let sum = 0;
    for (const { url, functions } of result) {
      if (!url.includes("/src/")) continue;
      for (const { ranges } of functions) for (const { count } of ranges) sum += count;
    }
    return sum;
  }

  #post(method: string, parameters: object = {}): unknown {
    let answer: unknown;
    // The inspector of one's own thread answers at once.
    this.#session.post(method, parameters, (error, result) => {
      if (error) throw error;
      answer = result;
    });
    return answer;
  }
}
