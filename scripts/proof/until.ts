/** When a run is to end: `--minutes 240`, or `--until 20:00`, of today or else of tomorrow, or a whole date. */
export function readEnd({ until, minutes }: { until?: string; minutes?: string }, now: Date): Date {
  if (minutes !== undefined) return new Date(now.getTime() + readMinutes(minutes) * 60_000);
  const [, hour, minute] = /^(\d{1,2}):(\d{2})$/.exec(until ?? "") ?? [];
  const end = hour === undefined ? new Date(until ?? "") : new Date(now);
  if (hour !== undefined) {
    end.setHours(Number(hour), Number(minute), 0, 0);
    if (end <= now) end.setDate(end.getDate() + 1);
  }
  if (end > now) return end;
  throw new Error(`expected --until with a time to come (20:00) or --minutes; found ${until ?? "neither"}`);
}

function readMinutes(text: string): number {
  const minutes = Number(text);
  if (minutes > 0) return minutes;
  throw new Error(`expected a number of minutes; found ${text}`);
}
