import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { decodeEvents, encodeEvent } from "./eventstream.ts";

describe("the event stream of AWS", () => {
  test("reads back what it wrote", () => {
    const headers = { ":message-type": "event", ":event-type": "messageStart" };
    const bytes = Buffer.concat([encodeEvent(headers, '{"role":"assistant"}'), encodeEvent({}, "é")]);
    expect(decodeEvents(bytes)).toEqual([
      { headers, payload: '{"role":"assistant"}' },
      { headers: {}, payload: "é" },
    ]);
  });

  test("has the layout of AWS's specification", () => {
    const bytes = encodeEvent({ a: "b" }, "{}");
    expect(bytes.readUInt32BE(0)).toBe(bytes.length);
    expect(bytes.readUInt32BE(4)).toBe(6);
    expect(bytes.readUInt32BE(8)).toBe(crc32(bytes.subarray(0, 8)));
    expect(bytes.subarray(12, 18)).toEqual(Buffer.from([1, 0x61, 7, 0, 1, 0x62]));
    expect(bytes.subarray(18, 20).toString()).toBe("{}");
    expect(bytes.readUInt32BE(20)).toBe(crc32(bytes.subarray(0, 20)));
  });

  test("sees every flipped byte and every cut", () => {
    const good = encodeEvent({ ":message-type": "event" }, '{"x":1}');
    for (let i = 0; i < good.length; i++) {
      const bad = Buffer.from(good);
      bad.writeUInt8(bad.readUInt8(i) ^ 1, i);
      expect(() => decodeEvents(bad)).toThrow(/checksum|inside a message/);
    }
    for (let i = 1; i < good.length; i++) {
      expect(() => decodeEvents(good.subarray(0, i))).toThrow("ends inside a message");
    }
  });
});
