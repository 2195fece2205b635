/** jq's `@text`, `@csv` and the like. */
import { decodeBytes, encodeBytes } from "../../../lib/text/bytes.ts";
import { COMPACT, type Json, numberText, print } from "./json.ts";
import { describe, JqError } from "./values.ts";

function text(value: Json): string {
  return typeof value === "string" ? value : print(value, COMPACT);
}

export function formatText(name: string, value: Json): string {
  switch (name) {
    case "@text":
      return text(value);
    case "@json":
      return print(value, COMPACT);
    case "@html":
      return text(value).replace(
        /[<>&'"]/g,
        (c) => ({ "<": "&lt;", ">": "&gt;", "&": "&amp;", "'": "&#39;", '"': "&quot;" })[c]!,
      );
    case "@uri":
      return Array.from(encodeBytes(text(value)), (byte) => {
        const c = String.fromCharCode(byte);
        return /[A-Za-z0-9\-_.~]/.test(c) ? c : "%" + byte.toString(16).toUpperCase().padStart(2, "0");
      }).join("");
    case "@csv":
    case "@tsv":
      if (!Array.isArray(value)) {
        throw new JqError(`${describe(value)} cannot be ${name.slice(1)}-formatted, only an array can be`);
      }
      return value.map((item) => cell(item, name)).join(name === "@csv" ? "," : "\t");
    case "@sh":
      return (Array.isArray(value) ? value : [value]).map((item) => {
        if (typeof item === "string") return "'" + item.replaceAll("'", "'\\''") + "'";
        if (item !== null && typeof item === "object") {
          throw new JqError(`${describe(item)} can not be escaped for shell`);
        }
        return print(item, COMPACT);
      }).join(" ");
    case "@base64":
      return btoa(Array.from(encodeBytes(text(value)), (byte) => String.fromCharCode(byte)).join(""));
    case "@base64d": {
      const trimmed = text(value).replace(/=+$/, "");
      try {
        if (trimmed.length % 4 === 1) throw new Error();
        return decodeBytes(Uint8Array.from(atob(trimmed), (c) => c.charCodeAt(0)));
      } catch {
        throw new JqError(`${describe(value)} is not valid base64 data`);
      }
    }
  }
  throw new JqError(`${name.slice(1)} is not a valid format`);
}

function cell(item: Json, name: string): string {
  if (typeof item === "number") return numberText(item);
  if (typeof item === "boolean") return String(item);
  if (item === null) return "";
  if (typeof item !== "string") throw new JqError(`${describe(item)} is not valid in a csv row`);
  if (name === "@csv") return '"' + item.replaceAll('"', '""') + '"';
  return item.replace(/[\t\n\r\\]/g, (c) => ({ "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\" })[c]!);
}
