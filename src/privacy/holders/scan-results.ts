import { ScanMemory } from "../../health/index.ts";
import type { Holder } from "./holder.ts";

/** The results of scans as a holder: kinds of violations, places and ids. */
export function scanResults(stateDirectory: string): Holder {
  return {
    find({ sessionIds }) {
      const memory = new ScanMemory(stateDirectory);
      const count = memory.count(sessionIds);
      return count === 0 ? [] : [{ kind: "scan_results", place: memory.file, count, bytes: 0, hasWords: false }];
    },
    erase({ sessionIds }) {
      const memory = new ScanMemory(stateDirectory);
      if (memory.count(sessionIds) === 0) return [];
      memory.forget(sessionIds);
      memory.save();
      return [];
    },
  };
}
