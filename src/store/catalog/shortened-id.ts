/** A shorter beginning would soon fit too many sessions. */
const LEAST_OF_ID = 4;

/**
 * Whether `which` is the beginning of this id, of four characters at least, or such a beginning and its end with `…` or
 * `...` between them (`8f42f82e-…11f7`).
 */
export function isShortenedId(id: string, which: string): boolean {
  const [beginning = "", end = "", ...more] = which.split(/…|\.\.\./);
  if (more.length > 0 || beginning.length < LEAST_OF_ID) return false;
  return id.startsWith(beginning) && id.endsWith(end) && id.length >= beginning.length + end.length;
}
