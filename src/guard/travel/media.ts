import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import { listAttached, type HistoryNode, readMedia } from "../../timetravel/index.ts";

/** A file of OpenClaw's own folder for what people send; its name is no path. */
const INBOUND = /^media:\/\/inbound\/([\w-][\w.-]{0,200})$/;
/** Larger pictures are named only: providers refuse them. */
const MAX_BYTES = 3_500_000;

/**
 * Finds the media of a message for its repetition in a carryover. Since 2026.8 OpenClaw stores them as files beside the
 * row and puts them into the message of the running turn only: they are taken from the row, else from the run's own
 * messages, else from the files.
 */
export function mediaIn(messages: readonly unknown[]): (node: HistoryNode) => JsonObject[] {
  return (node) => {
    const stored = readMedia(node);
    if (stored.length > 0 || listAttached(node).length === 0) return stored;
    const running = runningMedia(messages, node);
    return running.length > 0 ? running : listAttached(node).flatMap(pictureAt);
  };
}

function runningMedia(messages: readonly unknown[], { entry }: HistoryNode): JsonObject[] {
  const stored = isObject(entry.message) ? entry.message : {};
  const found = messages
    .filter(isObject)
    .findLast(({ role, timestamp }) => role === "user" && timestamp === stored.timestamp && timestamp !== undefined);
  const { content } = found ?? {};
  return Array.isArray(content) ? content.filter(isObject).filter(({ type }) => type === "image") : [];
}

function pictureAt({ url, contentType }: { readonly url: string; readonly contentType: string }): JsonObject[] {
  const [, name] = INBOUND.exec(url) ?? [];
  if (name === undefined || !/^image\/[a-z]+$/.test(contentType)) return [];
  try {
    const file = join(stateDirectory(), "media", "inbound", name);
    const { size } = statSync(file);
    if (size === 0 || size > MAX_BYTES) return [];
    return [{ type: "image", data: readFileSync(file).toString("base64"), mimeType: contentType }];
  } catch {
    // OpenClaw deletes these files after some time: the carryover names the file instead.
    return [];
  }
}
