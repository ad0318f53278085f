import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runOnSmallDisk, smallDiskRefusal } from "./small-disk.ts";

const SCRIPT = fileURLToPath(new URL("on-small-disk.ts", import.meta.url));
const refusal = smallDiskRefusal();

interface Failure {
  code: string;
  message: string;
}

describe.skipIf(refusal !== undefined)(
  `a journal on a disk of its own${refusal === undefined ? "" : ` (not here: ${refusal})`}`,
  () => {
    it("that fills up: says so, keeps what it has, can be read, and goes on when there is room", () => {
      const { returned, failure, stillThere, afterRoom, reopened } = runOnSmallDisk(4096, SCRIPT, "fillUp") as {
        returned: number;
        failure: Failure;
        stillThere: number;
        afterRoom?: Failure;
        reopened: number;
      };
      expect(failure).toEqual({
        code: "full",
        message: expect.stringMatching(/^expected .+; found .+full.+Make room on the disk/s),
      });
      expect(returned).toBeGreaterThan(3);
      expect({ stillThere, afterRoom, reopened }).toEqual({ stillThere: returned, reopened: returned + 1 });
    });

    it("that has any small number of free pages left: says that it is full, and nothing is damaged by it", () => {
      const codes = runOnSmallDisk(4096, SCRIPT, "everyRest") as (string | null)[];
      expect([...new Set(codes)].toSorted()).toEqual(["full", null]);
      // Room for all of it must be among the cases, or nothing was tried.
      expect(codes.at(-1)).toBe(null);
    });

    it("that became read-only: says that it cannot write, whether the file or its folder is asked for", () => {
      const { opened, elsewhere } = runOnSmallDisk(4096, SCRIPT, "readOnly") as Record<string, Failure>;
      const told = {
        code: "not-writable",
        message: expect.stringMatching(
          /^expected .+; found .+: (?:unable to open database file\. Give the user|a disk that can only be read \(EROFS\)\. Mount it writable)/s,
        ),
      };
      expect({ opened, elsewhere }).toEqual({ opened: told, elsewhere: told });
    });
  },
);
