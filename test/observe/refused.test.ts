import { afterEach, describe, expect, it, vi } from "vitest";
import {
  continuityMetric,
  continuityMetrics,
  emit,
  observe,
  prometheusText,
  type ContinuityMetric,
  type EventName,
} from "../../src/observe/index.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("observe", () => {
  it.each([null, undefined, "listener", 5])("refuses %s as a listener", (listener) => {
    expect(() => observe(listener as never)).toThrow(/expects a function .* found/);
  });

  it.each([
    ["a name that does not exist", ["l0:repair:complete", "l0:typo"], '"l0:typo"'],
    ["a name instead of a list", "l0:repair:complete", "a value of type string"],
    ["no list", {}, "a value of type object"],
  ])("refuses %s, with the names that exist", (_what, events, found) => {
    expect(() => observe(() => undefined, events as EventName[])).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/l0:repair:start.*l0:guard:failed/) as string }),
    );
    expect(() => observe(() => undefined, events as EventName[])).toThrow(found);
  });

  it.each([
    [
      "throws",
      (): void => {
        throw new TypeError("the words of a conversation");
      },
    ],
    [
      "rejects",
      async (): Promise<void> => {
        await Promise.resolve();
        throw new TypeError("the words of a conversation");
      },
    ],
  ])("tells where an observer %s, without its message", async (_how, listener) => {
    const lines: string[] = [];
    vi.spyOn(console, "warn").mockImplementation((line: unknown) => void lines.push(String(line)));
    const stop = observe(listener, ["l0:journal:opened"]);
    emit("l0:journal:opened");
    emit("l0:journal:opened");
    await new Promise((resolve) => setTimeout(resolve, 5));
    stop();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/an observer failed \(TypeError at .*refused\.test\.ts:\d+:\d+\)/);
    expect(lines[0]).not.toContain("conversation");
  });
});

describe("a metric", () => {
  it.each(["x", Number.NaN, Number.POSITIVE_INFINITY, undefined, 5n])("is not what %s says", (value) => {
    const before = prometheusText();
    continuityMetric("restore_time_ms", value as number);
    continuityMetric("idempotency_cache_hits", value as number);
    expect(prometheusText()).toBe(before);
  });

  it("of an unknown name is ignored", () => {
    continuityMetric("no_such_metric" as ContinuityMetric, 5);
    continuityMetric("__proto__" as ContinuityMetric, 5);
    expect(continuityMetrics()).not.toHaveProperty("no_such_metric");
  });
});
