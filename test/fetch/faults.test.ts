/** What a kill, a limit or a program puts into a history, through `fetch` and through a healing one. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FAULTS, VALID, listWords } from "../../harness/lists/faults.ts";
import { makeRequests, RENDER } from "../../harness/lists/forms.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { healingFetch, type HealedRequest } from "../../src/fetch/index.ts";
import { pathFor } from "./paths.ts";

const FORMS = ["anthropic", "chat", "responses", "gemini", "converse"] as const;

let provider: StrictProvider;
beforeAll(async () => void (provider = await startProvider()));
beforeEach(() => provider.reset());
afterAll(() => provider.close());

describe.each(FORMS)("a request with a history in the form %s", (form) => {
  const [[api]] = makeRequests(form, []) as [ReturnType<typeof makeRequests>[number]];
  const request = (steps: (typeof FAULTS)[string]): [string, RequestInit] => {
    const [[, body]] = makeRequests(form, RENDER[form](steps)) as [ReturnType<typeof makeRequests>[number]];
    return [provider.url + pathFor(api), { method: "POST", body: JSON.stringify(body) }];
  };

  it("is passed on with the arguments as they are where it is valid", async () => {
    // The last question behind a result would be a second message of the user, which models on Bedrock refuse.
    const given = request(VALID.slice(0, -1));
    const seen: unknown[][] = [];
    const send: typeof fetch = async (...args) => (seen.push(args), await fetch(...args));
    const response = await healingFetch({ fetch: send, onHealed: () => expect.unreachable() })(...given);
    expect(response.status).toBe(200);
    expect(seen).toEqual([given]);
    expect(seen[0]![1]).toBe(given[1]);
  });

  it.each(Object.entries(FAULTS))("is answered at once, and says all of it: %s", async (_fault, steps) => {
    const seen: HealedRequest[] = [];
    const response = await healingFetch({ onHealed: (healed) => seen.push(healed) })(...request(steps));
    expect(response.status, await response.text()).toBe(200);
    expect(provider.requests).toHaveLength(1);
    const sent = provider.requests[0]!.raw;
    const given = String(request(steps)[1].body);
    for (const word of listWords(steps)) if (given.includes(word)) expect(sent).toContain(word);
    if (sent === given) return expect(seen).toEqual([]);
    expect(seen).toMatchObject([{ api, forms: [], requests: 1, status: 200 }]);
    expect(seen[0]!.healings.length).toBeGreaterThan(0);
  });
});
