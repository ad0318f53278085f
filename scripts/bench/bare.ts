type Json = Record<string, unknown>;

function look(block: Json): number {
  const { type, text, name } = block;
  if (typeof text === "string") return text.length;
  if (typeof name === "string") return name.length;
  return typeof type === "string" ? type.length : 0;
}

/**
 * The least that anything which knows a history must do: look at every block's type and its text or name.
 *
 * @param field Where a message keeps its blocks; a message without them is looked at as a block itself.
 */
export function bareLoop(messages: readonly unknown[], field: "content" | "parts"): number {
  let seen = 0;
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as Json;
    const content = message[field];
    if (Array.isArray(content)) for (let at = 0; at < content.length; at++) seen += look(content[at] as Json);
    else if (typeof content === "string") seen += content.length;
    else seen += look(message);
  }
  return seen;
}
