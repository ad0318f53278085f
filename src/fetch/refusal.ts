import type { ProviderError } from "../recovery/failure.ts";

/** No error of a provider is longer, but for those that quote the request. */
const MAX_BYTES = 256 * 1024;
/** How long the text of an error may take behind its status. */
const MAX_MS = 10_000;

/** True for the statuses that say something of the request. A 401 is about the key, a 404 about the address. */
export function mayBeOfRequest({ status }: Response): boolean {
  return status >= 400 && status !== 401 && status !== 404 && status !== 407;
}

/**
 * Reads what a response says that is no answer, from a copy: the response can be read as if nobody had read it. Never
 * rejects: of an error that cannot be read, the status counts alone.
 */
export async function readRefusal(response: Response): Promise<ProviderError> {
  const { status } = response;
  let copy: Response;
  try {
    copy = response.clone();
  } catch {
    return { text: "", status };
  }
  return { text: await readBeginning(copy), status };
}

async function readBeginning(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  const decoder = new TextDecoder();
  let text = "";
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), MAX_MS);
  try {
    for (let bytes = 0; bytes < MAX_BYTES;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      bytes += value.length;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // What has come until then is what is known.
  } finally {
    clearTimeout(timer);
    void reader.cancel().catch(() => {});
  }
  return text;
}
