/** What a preload needs that kills OpenClaw at an exact step: to stand in front of functions, and to write down steps. */
import fs from "node:fs";
import { flushCompileCache } from "node:module";

const { openSync, writeSync } = fs;

/** Any function that is stood in front of. */
export type Method = (this: unknown, ...values: unknown[]) => unknown;

/** Puts `over` in the place of a method; it is given the one that was there. */
export function stand(holder: object, name: string, over: (inner: Method) => Method): void {
  const methods = holder as Record<string, Method>;
  methods[name] = over(methods[name]!);
}

/** The texts among the values of a statement, named ones too. */
export function listTexts(values: readonly unknown[]): string[] {
  return values.flatMap((value) =>
    typeof value === "string"
      ? [value]
      : value !== null && typeof value === "object" && !ArrayBuffer.isView(value)
        ? Object.values(value).filter((inner) => typeof inner === "string")
        : [],
  );
}

/** Does a step, and what the preload does before and after it. */
export type Around = (verb: string, texts: readonly string[], work: () => unknown) => unknown;

/** Stands in front of every statement of node:sqlite, where this Node has it. */
export function standBeforeStatements(around: Around): void {
  const sqlite = process.getBuiltinModule("node:sqlite") as typeof import("node:sqlite") | undefined;
  if (!sqlite) return;
  for (const name of ["run", "get", "all", "iterate"])
    stand(
      sqlite.StatementSync.prototype,
      name,
      (inner) =>
        function (this: unknown, ...values) {
          const verb = readVerb((this as { sourceSQL: string }).sourceSQL);
          return around(verb, listTexts(values), () => inner.apply(this, values));
        },
    );
  stand(
    sqlite.DatabaseSync.prototype,
    "exec",
    (inner) =>
      function (this: unknown, ...values) {
        return around(readVerb(String(values[0])), [], () => inner.apply(this, values));
      },
  );
}

function readVerb(sql: string): string {
  return /[a-z]+/i.exec(sql)?.[0].toUpperCase() ?? "";
}

/** The file in which each step is written down before it is taken. */
export class Report {
  readonly #file: string;
  #handle = -1;
  /** True while the report itself is written, which is no step. */
  isWriting = false;

  constructor(file: string) {
    this.#file = file;
  }

  write(line: object): void {
    this.isWriting = true;
    this.#handle = this.#handle < 0 ? openSync(this.#file, "a") : this.#handle;
    writeSync(this.#handle, `${JSON.stringify(line)}\n`);
    this.isWriting = false;
  }

  /** Writes down where, and ends the process. */
  die(place: object): never {
    this.write({ killed: place });
    process.kill(process.pid, "SIGKILL");
    // Nothing more is done, however long the signal takes.
    for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
}

/** A process that is killed keeps nothing of what it has compiled, and the next one would compile it again. */
export function keepCompiled(): void {
  setInterval(() => flushCompileCache(), 2000).unref();
}
