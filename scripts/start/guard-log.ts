import { mergeHealed, parseGuardLine, type GuardLine, type Healed } from "./healed.ts";

/** The lines of the guard in one process of OpenClaw, by session; a line may arrive after the run that it is about. */
export class GuardLog {
  readonly #lines = new Map<string, GuardLine[]>();
  #loose: GuardLine[] = [];

  /** Takes a line that OpenClaw printed. */
  readonly take = (line: string): void => {
    const parsed = parseGuardLine(line);
    if (!parsed) return;
    if (parsed.session === undefined) this.#loose.push(parsed);
    else this.#openLines(parsed.session).push(parsed);
  };

  /** Gives the lines since the last call that name no session to the session that has just been run. */
  assignTo(session: string): void {
    this.#openLines(session).push(...this.#loose);
    this.#loose = [];
  }

  /** What was healed in a session. */
  healed(session: string): Healed[] {
    return mergeHealed(this.#openLines(session).map((line) => line.healed));
  }

  /** What the guard could not do in a session. */
  failures(session: string): string[] {
    const failures = this.#openLines(session).flatMap((line) => line.failure ?? []);
    return [...new Set(failures)];
  }

  #openLines(session: string): GuardLine[] {
    const lines = this.#lines.get(session) ?? [];
    this.#lines.set(session, lines);
    return lines;
  }
}
