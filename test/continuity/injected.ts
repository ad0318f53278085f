import { createHash } from "node:crypto";
import type { ContinuityOptions, ObjectStorage } from "../../src/continuity/index.ts";

/** The beginning of the tests' time. */
export const START = Date.parse("2026-01-05T08:00:00.000Z");

/** A clock that goes on only when it is told to, ids in a fixed order, no chance and no waiting. */
export interface Injected extends Required<Pick<ContinuityOptions, "now" | "newId" | "random" | "sleep">> {
  /** Milliseconds; negative goes back. */
  pass(milliseconds: number): void;
}

/** What the kernel takes from outside, decided by the test. `name` keeps the ids of two apart. */
export function injected(name = "ids"): Injected {
  let time = START;
  let ids = 0;
  return {
    now: () => time,
    pass: (milliseconds) => {
      time += milliseconds;
    },
    newId: () => makeUuid(`${name}/${++ids}`),
    random: () => 0.5,
    sleep: async () => {},
  };
}

/** A UUID made of a name. */
export function makeUuid(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** An object storage in memory, with its objects open to be tampered with. */
export function memoryObjects(): ObjectStorage & { readonly objects: Map<string, Uint8Array> } {
  const objects = new Map<string, Uint8Array>();
  return {
    objects,
    put: async (name, bytes) => void objects.set(name, bytes),
    get: async (name) => objects.get(name),
    remove: async (name) => void objects.delete(name),
  };
}
