/** How messages and results are known again, in requests and in what a person is shown. */

const TAG = /\[\[(\w+)\.(m\d+)\]\]/g;
const OUTCOME = /outcome-(\w+)-\d+/g;

/** What a message begins with. */
export function makeTag(conversation: string, name: string): string {
  return `[[${conversation}.${name}]]`;
}

/** How the model says in its answer that it answers a message; no tag, so that it is not taken for the message. */
export function answerTo(conversation: string, name: string): string {
  return `<${conversation}.${name}>`;
}

/** The messages that a text has, in its order, each as often as it is there. */
export function tagsIn(text: string): { conversation: string; name: string }[] {
  return [...text.matchAll(TAG)].map(([, conversation = "", name = ""]) => ({ conversation, name }));
}

/** The calls whose real results a text has. */
export function outcomesIn(text: string): Set<string> {
  return new Set([...text.matchAll(OUTCOME)].map(([, call = ""]) => call));
}
