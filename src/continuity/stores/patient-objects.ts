import type { Environment } from "../ledger/environment.ts";
import type { ObjectStorage } from "../ledger/store.ts";
import { ContinuityError } from "../base/errors.ts";

const MAX_TRIES = 30;
const LONGEST_PAUSE_MS = 500;

/** Returns an object storage whose reads wait for `objects` where that is away for a while. */
export function patientObjects(
  objects: ObjectStorage,
  { sleep, random }: Pick<Environment, "sleep" | "random">,
): ObjectStorage {
  const { list } = objects;
  return {
    put: (name, bytes) => objects.put(name, bytes),
    remove: (name) => objects.remove(name),
    ...(list ? { list: (prefix) => list.call(objects, prefix) } : {}),
    async get(name) {
      for (let tries = 0; ; tries++) {
        try {
          return await objects.get(name);
        } catch (error) {
          const isAway = error instanceof ContinuityError && error.code === "unavailable";
          if (!isAway || tries >= MAX_TRIES) throw error;
          await sleep(Math.min(LONGEST_PAUSE_MS, 10 * 2 ** tries) * (0.5 + random() / 2));
        }
      }
    },
  };
}
