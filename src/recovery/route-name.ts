/** The model of a request, as OpenClaw names it. */
export interface AskedModel {
  api?: unknown;
  provider?: unknown;
  id?: unknown;
  baseUrl?: unknown;
}

/**
 * Returns what names the route of a request: who is asked, where, for which model. It is stored and shown: an address
 * is named without what may be a secret in it.
 */
export function routeName({ api, provider, baseUrl, id }: AskedModel): string {
  return [api, provider, toAddress(baseUrl), id].filter((part) => typeof part === "string" && part !== "").join(" ");
}

function toAddress(baseUrl: unknown): unknown {
  if (typeof baseUrl !== "string" || !URL.canParse(baseUrl)) return undefined;
  const { origin, pathname, protocol, host } = new URL(baseUrl);
  return `${origin === "null" ? `${protocol}//${host}` : origin}${pathname === "/" ? "" : pathname}`;
}
