import { shown, typeName } from "../json.ts";
import type { Findings } from "./findings.ts";

/** OpenAI's own error texts, shared by its two APIs; each returns whether the value is right. */
export class OpenAiTexts {
  readonly found: Findings;

  constructor(found: Findings) {
    this.found = found;
  }

  missing(path: string): void {
    this.found.add(path, `Missing required parameter: '${path}'.`, "missing_required_parameter");
  }

  unknown(path: string): void {
    this.found.add(path, `Unknown parameter: '${path}'.`, "unknown_parameter");
  }

  type(path: string, expected: string, value: unknown): void {
    this.found.add(
      path,
      `Invalid type for '${path}': expected ${expected}, but got ${typeName(value)} instead.`,
      "invalid_type",
    );
  }

  /** A value that is not in the list. */
  choice(path: string, value: unknown, values: readonly string[]): void {
    const all = values.map((one) => `'${one}'`);
    const list = all.length > 1 ? `${all.slice(0, -1).join(", ")}, and ${all.at(-1)}` : all.join("");
    this.found.add(path, `Invalid value: '${shown(value)}'. Supported values are: ${list}.`, "invalid_value");
  }

  emptyArray(path: string): void {
    this.found.add(
      path,
      `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      "empty_array",
    );
  }

  /** A string of 1 to `most` characters that matches. */
  string(path: string, value: unknown, most = Infinity, pattern?: RegExp): boolean {
    if (value === undefined || value === null) this.missing(path);
    else if (typeof value !== "string") this.type(path, "a string", value);
    else if (value === "") {
      this.found.add(
        path,
        `Invalid '${path}': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
        "empty_string",
      );
    } else if (value.length > most) {
      this.found.add(
        path,
        `Invalid '${path}': string too long. Expected a string with maximum length ${most}, but got a string with length ${value.length} instead.`,
        "string_above_max_length",
      );
    } else if (pattern !== undefined && !pattern.test(value)) {
      this.found.add(
        path,
        `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '${pattern.source}'.`,
        "invalid_value",
      );
    } else return true;
    return false;
  }

  /** A data or web address of an image. */
  imageUrl(path: string, url: unknown): void {
    if (!this.string(path, url) || typeof url !== "string") return;
    if (/^https?:\/\//.test(url)) return;
    const [head, data] = [url.slice(0, 64), url.slice(url.indexOf(",") + 1)];
    if (!/^data:image\/[a-z0-9.+-]+;base64,/i.test(head)) {
      this.found.add(
        path,
        `Invalid '${path}'. Expected a valid URL, but got a value with an invalid format.`,
        "invalid_value",
      );
    } else if (data === "" || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) {
      this.found.add(
        path,
        `Invalid '${path}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got an invalid base64-encoded value.`,
        "invalid_value",
      );
    }
  }

  /** A string that holds JSON. */
  json(path: string, value: unknown): void {
    try {
      JSON.parse(shown(value));
    } catch {
      this.found.add(path, `Invalid '${path}': expected a string that holds valid JSON.`, "invalid_value");
    }
  }

  /** A string that holds a JSON object. */
  argumentsJson(path: string, value: unknown): void {
    if (value === undefined || value === null) this.missing(path);
    else if (typeof value !== "string") this.type(path, "a string", value);
    else {
      let parsed: unknown;
      try {
        parsed = JSON.parse(value);
      } catch {
        this.found.add(path, `Invalid '${path}': expected a string that holds valid JSON.`, "invalid_value");
        return;
      }
      if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
        this.found.add(
          path,
          `Invalid '${path}': expected a JSON object, but got ${typeName(parsed)} instead.`,
          "invalid_value",
        );
      }
    }
  }
}
