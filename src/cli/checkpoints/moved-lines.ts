/** Tells how many messages a rewind has moved, or would move, out of a conversation and back into it. */
export function movedLines(
  { messagesLeft, messagesBack }: { readonly messagesLeft: number; readonly messagesBack: number },
  isDone: boolean,
): string[] {
  const are = isDone ? "are" : "would be";
  if (messagesLeft + messagesBack === 0) return ["  the same messages are part of it as before"];
  return [
    ...(messagesLeft > 0 ? [`  messages that ${are} no longer part of it: ${messagesLeft} (they stay stored)`] : []),
    ...(messagesBack > 0 ? [`  messages that ${are} part of it again: ${messagesBack}`] : []),
  ];
}
