import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { indexOutOfOrder } from "./index-out-of-order.ts";
import type { AppendedRow, ProjectionFunctions } from "../openclaw/projection.ts";

beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

const watermark = { activeEventCount: 1, activeMessageCount: 1, indexedSeq: 1, leafEventId: "a", needsRebuild: false };

it("an OpenClaw whose functions are other ones goes on as unpatched, and the log says so once", () => {
  const row = {
    db: {},
    sessionId: "s",
    seq: 2,
    event: { type: "message", id: "b", parentId: null },
    watermark,
    batch: {},
  } as unknown as AppendedRow;
  const openclaw = {
    readProjectionSource: () => {
      throw new TypeError("said: secret words");
    },
  } as unknown as ProjectionFunctions;
  expect(indexOutOfOrder(undefined, row, openclaw)).toBeUndefined();
  // The next batch of appends fails as well, and adds no line to the log.
  expect(indexOutOfOrder(undefined, { ...row, batch: {} }, openclaw)).toBeUndefined();
  expect(vi.mocked(console.warn).mock.calls).toEqual([
    [expect.stringContaining("session projection failed (TypeError")],
  ]);
  expect(String(vi.mocked(console.warn).mock.calls)).not.toContain("secret");
});
