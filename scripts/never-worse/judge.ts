import { isOfPicture, type CaseRecord, type TurnRecord } from "./record.ts";

/** What is worse with the patch than without it. */
export const KINDS = ["unanswered", "lost", "requests"] as const;
export type Kind = (typeof KINDS)[number];

export interface Finding {
  kind: Kind;
  /** The number of the message, from 1; 0 when nothing could be played. */
  turn: number;
  /** What was lost, or how many requests there were. */
  what: string;
  /** Words that this provider refused in an earlier turn. */
  isHeldBack?: true;
}

/** How many requests more a turn may take. */
export const MAX_EXTRA = 2;

/**
 * What the patched OpenClaw does worse than the unpatched one in the same case: a message that it does not answer, a
 * word that its last accepted request of a turn does not have, more than two requests more in a turn.
 */
export function judgePair(stock: CaseRecord, patched: CaseRecord): Finding[] {
  if (stock.error === undefined && patched.error !== undefined)
    return [{ kind: "unanswered", turn: 0, what: patched.error }];
  return stock.turns.flatMap((before, at): Finding[] => {
    const after = patched.turns[at];
    const turn = at + 1;
    if (after === undefined) return before.answered ? [{ kind: "unanswered", turn, what: "not played" }] : [];
    const findings: Finding[] = [];
    if (before.answered && !after.answered) findings.push({ kind: "unanswered", turn, what: after.shown });
    const hasFewer = sendsFewerPictures(stock, patched, at);
    const lost = lostWords(before.sent, after.sent).filter((word) => !hasFewer || !isOfPicture(word));
    if (lost.length > 0)
      findings.push({ kind: "lost", turn, what: lost.join(", "), ...(before.wasRefused && { isHeldBack: true }) });
    const extra = countExtra(before, after);
    if (extra > MAX_EXTRA)
      findings.push({ kind: "requests", turn, what: `${after.requests.length}, ${extra} more than without the patch` });
    return findings;
  });
}

/** Behind so many answers OpenClaw 2026.9 sends no old picture: with the patch more turns before were answered. */
function sendsFewerPictures(stock: CaseRecord, patched: CaseRecord, at: number): boolean {
  const answers = ({ turns }: CaseRecord): number => turns.slice(0, at).filter(({ answered }) => answered).length;
  return stock.release !== "2026.2.3" && answers(patched) > answers(stock);
}

/** How many requests more a turn took. What the unpatched one asks behind its answer is OpenClaw's own, and counts. */
export function countExtra(before: TurnRecord, after: TurnRecord | undefined): number {
  return (after?.requests.length ?? 0) - before.requests.length - before.behind;
}

/** The words that only the unpatched one sent; all of them where the patched one had no request accepted. */
function lostWords(before: readonly string[] = [], after?: readonly string[]): string[] {
  const there = new Set(after);
  return before.filter((word) => !there.has(word));
}
