import { crc32 } from "node:zlib";

/** Bytes around headers and payload: two lengths, the CRC of those, and the CRC of the whole. */
const PRELUDE = 12;
const TRAILER = 4;
const STRING_HEADER = 7;

/** One message of AWS's binary event stream (application/vnd.amazon.eventstream), with string headers. */
export function encodeEvent(headers: Record<string, string>, payload: string): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const nameBytes = Buffer.from(name);
      const valueBytes = Buffer.from(value);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(valueBytes.length);
      return Buffer.concat([
        Buffer.from([nameBytes.length]),
        nameBytes,
        Buffer.from([STRING_HEADER]),
        length,
        valueBytes,
      ]);
    }),
  );
  const body = Buffer.from(payload);
  const message = Buffer.alloc(PRELUDE + head.length + body.length + TRAILER);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(head.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  head.copy(message, PRELUDE);
  body.copy(message, PRELUDE + head.length);
  message.writeUInt32BE(crc32(message.subarray(0, message.length - TRAILER)), message.length - TRAILER);
  return message;
}

export interface DecodedEvent {
  headers: Record<string, string>;
  payload: string;
}

/** Reads messages of an event stream; throws if a checksum is wrong or the bytes end inside a message. */
export function decodeEvents(bytes: Buffer): DecodedEvent[] {
  const events: DecodedEvent[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytes.length - at < PRELUDE ? Infinity : bytes.readUInt32BE(at);
    if (at + length > bytes.length) throw new Error(`event stream ends inside a message at byte ${at}`);
    const message = bytes.subarray(at, at + length);
    if (message.readUInt32BE(8) !== crc32(message.subarray(0, 8))) throw new Error("wrong prelude checksum");
    if (message.readUInt32BE(length - TRAILER) !== crc32(message.subarray(0, length - TRAILER))) {
      throw new Error("wrong message checksum");
    }
    const payloadAt = PRELUDE + message.readUInt32BE(4);
    events.push({
      headers: decodeHeaders(message.subarray(PRELUDE, payloadAt)),
      payload: message.subarray(payloadAt, length - TRAILER).toString(),
    });
    at += length;
  }
  return events;
}

function decodeHeaders(bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < bytes.length;) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const valueAt = nameEnd + 3;
    const valueEnd = valueAt + bytes.readUInt16BE(nameEnd + 1);
    headers[bytes.toString("utf8", at + 1, nameEnd)] = bytes.toString("utf8", valueAt, valueEnd);
    at = valueEnd;
  }
  return headers;
}
