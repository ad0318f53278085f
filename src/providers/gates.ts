import { conversationStrings } from "./conversation.ts";
import { isObject } from "./json.ts";
import type { Api, BlockForm, ExtraRule, Front, FrontAnswer, Refusal, Step, Violation } from "./types.ts";

/** What a test puts in the way of requests beyond the API's own rules. */
export class Gates {
  private rules: ExtraRule[] = [];
  private readonly texts = new Map<string, BlockForm>();
  private front: { says: Front; seen: number } | undefined;

  /** Puts a front before everything else, or takes it away. */
  setFront(says: Front | undefined): void {
    this.front = says && { says, seen: 0 };
  }

  /** What the front answers in the provider's place, or the step with which it answers. */
  inFront(api: Api, body: unknown, sent: { raw: string; model: string }): FrontAnswer | Step | undefined {
    if (this.front === undefined || !isObject(body)) return undefined;
    return this.front.says({ api, body, ...sent, nth: this.front.seen++ });
  }

  enforce(rule: ExtraRule): void {
    this.rules.push(rule);
  }

  relax(): void {
    this.rules = [];
  }

  block(text: string, form: BlockForm): void {
    if (text === "") throw new Error("Expected a text to block; found an empty one, which every request contains.");
    this.texts.set(text, form);
  }

  unblock(text?: string): void {
    if (text === undefined) this.texts.clear();
    else this.texts.delete(text);
  }

  clear(): void {
    this.setFront(undefined);
    this.relax();
    this.unblock();
  }

  /** The extra rules that `body` breaks, in the order in which they were enforced. */
  broken(api: Api, body: unknown): { violation: Violation; refusal: Refusal }[] {
    return this.rules.flatMap((rule) => {
      const violation = rule.check(api, body);
      return violation === undefined ? [] : [{ violation, refusal: { by: "extra-rule", name: rule.name } }];
    });
  }

  /** The first blocked text that the conversation of `body` contains. */
  blocked(api: Api, body: unknown): { form: BlockForm; refusal: Refusal } | undefined {
    if (this.texts.size === 0) return undefined;
    const strings = conversationStrings(api, body);
    for (const [text, form] of this.texts) {
      // Arguments of calls are JSON text in some APIs, and text in them is escaped.
      const escaped = JSON.stringify(text).slice(1, -1);
      if (strings.some((one) => one.includes(text) || one.includes(escaped))) {
        return { form, refusal: { by: "blocked-text", name: text } };
      }
    }
    return undefined;
  }
}
