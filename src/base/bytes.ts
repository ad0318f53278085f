/** Bytes without Node's Buffer: the pure rooms run in browsers and workers too. */

const encoder = new TextEncoder();

/** Decodes base64, also in its form for URLs; characters that are none of it are skipped. */
export function fromBase64(text: string): Uint8Array {
  const plain = text
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replaceAll(/[^A-Za-z0-9+/]/g, "");
  // One character alone holds no byte.
  const whole = plain.length % 4 === 1 ? plain.slice(0, -1) : plain;
  return Uint8Array.from(atob(whole), (letter) => letter.charCodeAt(0));
}

/** How many bytes a text has in UTF-8. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}
