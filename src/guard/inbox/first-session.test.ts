import { afterEach, expect, it, vi } from "vitest";
import { noteSession, whenSessionIsFree } from "./first-session.ts";

afterEach(() => vi.useRealTimers());

let conversations = 0;

/** Has OpenClaw take the messages of a new conversation; in what order they go on, and how each ends. */
function take(count: number): { inbox: string; gone: number[]; end: (n: number) => void } {
  const inbox = `inbox-${++conversations}`;
  const gone: number[] = [];
  const ends: (() => void)[] = [];
  for (let n = 0; n < count; n++)
    void whenSessionIsFree(inbox).then((end) => {
      gone.push(n);
      ends[n] = end;
    });
  return { inbox, gone, end: (n) => ends[n]!() };
}

it("lets the messages behind the first one go when that has its session", async () => {
  const { inbox, gone, end } = take(3);
  await vi.waitFor(() => expect(gone).toEqual([0]));
  noteSession(inbox);
  await vi.waitFor(() => expect(gone).toEqual([0, 1, 2]));
  await whenSessionIsFree(inbox);
  for (const n of gone) end(n);
});

it("lets one go when the first ends without a session, and the next behind that", async () => {
  const { gone, end } = take(3);
  await vi.waitFor(() => expect(gone).toEqual([0]));
  end(0);
  await vi.waitFor(() => expect(gone).toEqual([0, 1]));
  await new Promise(setImmediate);
  expect(gone).toEqual([0, 1]);
  end(1);
  end(1);
  await vi.waitFor(() => expect(gone).toEqual([0, 1, 2]));
});

it("waits anew when all messages of a conversation are done: its session may end in between", async () => {
  const { inbox, gone, end } = take(1);
  await vi.waitFor(() => expect(gone).toEqual([0]));
  noteSession(inbox);
  end(0);
  noteSession(inbox);
  await whenSessionIsFree(inbox);
  let isGone = false;
  void whenSessionIsFree(inbox).then(() => (isGone = true));
  await new Promise(setImmediate);
  expect(isGone).toBe(false);
});

it("holds nothing back for longer than two seconds, and no other conversation", async () => {
  vi.useFakeTimers();
  const { gone } = take(3);
  const other = take(1);
  await vi.advanceTimersByTimeAsync(1999);
  expect([gone, other.gone]).toEqual([[0], [0]]);
  await vi.advanceTimersByTimeAsync(1);
  expect(gone).toEqual([0, 1, 2]);
});
