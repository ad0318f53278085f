/** Whether a model is one of Mistral's, whose server differs from OpenAI's in ids, order and streaming. */
export function isMistral(model: string): boolean {
  return /mistral|mixtral|codestral|devstral|magistral|ministral|pixtral/i.test(model);
}
