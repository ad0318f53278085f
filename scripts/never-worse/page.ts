import { GROUPS, type Group } from "./case.ts";

const TITLES: Record<Group, string> = {
  corpus: "The corpus",
  faults: "Live faults",
  reports: "Reports of providers that refuse",
  random: "Random hidden rules",
};

const HEAD = `# Never worse than the unpatched OpenClaw

Every case is played to the unpatched and to the patched OpenClaw, with the same provider: what it refuses, says and breaks off depends on
the request and on how many came before it in the turn. The history and the messages of the person have marked words.

- *worse*: messages that only the unpatched OpenClaw answers. An answer is one with the provider's own words in it.
- *words lost*: marked words and pictures that the unpatched OpenClaw sends in its last accepted request of a turn, and the patched one
  does not.
- *extra requests*: of the patched OpenClaw over the unpatched one in the same turn; more than two are a failure. Requests that come
  after the answer, or ask for no more than 16 tokens, are not of the turn.
- *random hidden rules*: providers that refuse by a rule which nobody told anybody, then the same conversation with a provider without it.
`;

/** The page of results with these sections; those of other groups stay as they are in the page before. */
export function pageWith(sections: Partial<Record<Group, string>>, before = ""): string {
  const texts = GROUPS.flatMap((group) => {
    const text = sections[group] ?? sectionIn(before, group);
    return text === undefined ? [] : [`## ${TITLES[group]}\n\n${text}\n`];
  });
  return [HEAD, ...texts].join("\n");
}

function sectionIn(page: string, group: Group): string | undefined {
  const [, after] = page.split(`## ${TITLES[group]}\n`);
  return after?.split(/^## /m)[0]?.trim();
}
