import { isObject, type JsonObject } from "../../transcript/json/json.ts";

/** A list of blocks on the way down, up to which of them it was looked at, and its copy where one has changed. */
interface Level {
  readonly list: readonly unknown[];
  at: number;
  changed?: unknown[];
}

/**
 * Changes the blocks of a message, and those in the content of its blocks: in Anthropic's form a tool's result holds
 * blocks of its own. A block that `change` replaces is not looked into. Returns the same object when nothing changes;
 * what does not change stays the same object. Takes any depth, and lists that hold themselves.
 */
export function changeBlocks(message: unknown, change: (block: unknown) => unknown): unknown {
  if (!isObject(message) || !Array.isArray(message.content)) return message;
  const content = changedList(message.content as unknown[], change);
  return content === message.content ? message : { ...message, content };
}

function changedList(root: readonly unknown[], change: (block: unknown) => unknown): readonly unknown[] {
  const done = new Map<readonly unknown[], readonly unknown[]>();
  const open = new Set([root]);
  const levels: Level[] = [{ list: root, at: 0 }];
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const { list, at } = level;
    if (at >= list.length) {
      done.set(list, level.changed ?? list);
      open.delete(list);
      levels.pop();
      continue;
    }
    const block = list[at];
    const inner = innerBlocks(block);
    let next = change(block);
    if (next === block && inner && !open.has(inner)) {
      const below = done.get(inner);
      if (!below) {
        open.add(inner);
        levels.push({ list: inner, at: 0 });
        continue;
      }
      if (below !== inner) next = { ...(block as object), content: below };
    }
    if (next !== block) (level.changed ??= list.slice())[at] = next;
    level.at++;
  }
  return done.get(root) ?? root;
}

/** Returns a message's content as blocks. */
export function toBlocks({ content }: JsonObject): unknown[] {
  if (Array.isArray(content)) return content as unknown[];
  return [{ type: "text", text: typeof content === "string" ? content : "" }];
}

/** Returns all blocks of a message, those in the content of its blocks too, in order. */
export function blocksWithin(message: unknown): unknown[] {
  const found: unknown[] = [];
  const seen = new Set<unknown>();
  changeBlocks(message, (block) => {
    // A block with blocks in it is shown once before and once after these.
    if (!isObject(block) || !seen.has(block)) found.push(block);
    seen.add(block);
    return block;
  });
  return found;
}

function innerBlocks(block: unknown): readonly unknown[] | undefined {
  return isObject(block) && Array.isArray(block.content) ? (block.content as unknown[]) : undefined;
}

/** The block of a text, in OpenClaw's form. */
export function textBlock(text: string): JsonObject {
  return { type: "text", text };
}
