/** Stands in for OpenClaw's test/helpers/promise.js. */
export function createDeferred() {
  return Promise.withResolvers();
}
