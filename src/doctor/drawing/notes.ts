import { NOTE_TYPE } from "../../store/sessions/stored-session.ts";
import { readAborted, readArrival } from "../../timetravel/records.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import type { DrawnNote } from "./drawing.ts";
import { toMoment } from "../../base/time.ts";

/**
 * Returns the meaning of a note of openclaw-integrity; undefined for every other entry. Does not read the text of the
 * note.
 */
export function noteIn(entry: JsonObject): DrawnNote | undefined {
  const { type, customType, details, data, content, timestamp } = entry;
  const arrival = readArrival(entry);
  if (arrival)
    return {
      at: toMoment(timestamp),
      kind: "arrival",
      by: arrival.by,
      from: arrival.departureId,
      length: typeof content === "string" ? content.length : 0,
    };
  if (readAborted(entry)) return { at: toMoment(timestamp), kind: "aborted" };
  if (customType !== NOTE_TYPE || (type !== "custom_message" && type !== "custom")) return undefined;
  const at = toMoment(timestamp);
  if (type === "custom_message") {
    const checkpointId = isObject(details) ? details.checkpointId : undefined;
    return { at, kind: "rollback", ...(typeof checkpointId === "string" && { checkpointId }) };
  }
  return { at, kind: isObject(data) && data.kept !== undefined ? "kept" : "repair" };
}
