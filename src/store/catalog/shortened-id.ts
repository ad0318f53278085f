/** Fewer characters of an id are no name: every session would be one of them soon. */
const LEAST_OF_ID = 4;

/** Whether a name is the beginning of this id, or its beginning and end with `…` between them (`8f42f82e-…11f7`). */
export function isShortenedId(id: string, which: string): boolean {
  const [beginning = "", end = "", ...more] = which.split(/…|\.\.\./);
  if (more.length > 0 || beginning.length < LEAST_OF_ID) return false;
  return id.startsWith(beginning) && id.endsWith(end) && id.length >= beginning.length + end.length;
}
