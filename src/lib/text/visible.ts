/**
 * Texts from outside made safe to read: what has no shape of its own gets
 * one. C0 controls become their pictures (ESC is ␛), other controls and
 * direction marks become ⟨U+202E⟩, a byte that is not of the text's encoding
 * becomes ⟨E9⟩. The result is well formed and can be turned back.
 */

const HIDDEN =
  // deno-lint-ignore no-control-regex -- control characters are what it looks for
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const SHOWN = /[\u2400-\u241f\u2421]|\u27e8(?:U\+([0-9A-F]{4})|([89A-F][0-9A-F]))\u27e9/g;

/** `text` with everything that has no shape shown. Tabs and line feeds stay. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const unit = character.charCodeAt(0);
    if (unit < 0x20) return String.fromCharCode(0x2400 + unit);
    if (unit === 0x7f) return "\u2421";
    if (unit >= 0xdc80 && unit <= 0xdcff) return `\u27e8${hex(unit & 0xff, 2)}\u27e9`;
    return `\u27e8U+${hex(unit, 4)}\u27e9`;
  });
}

/** Undoes {@link visible}; with `only`, for these signs alone. */
export function concealed(text: string, only?: ReadonlySet<string>): string {
  return text.replace(SHOWN, (shown, point?: string, byte?: string) => {
    if (only !== undefined && !only.has(shown)) return shown;
    if (point !== undefined) return String.fromCharCode(parseInt(point, 16));
    if (byte !== undefined) return String.fromCharCode(0xdc00 | parseInt(byte, 16));
    const unit = shown.charCodeAt(0);
    return unit === 0x2421 ? "\x7f" : String.fromCharCode(unit - 0x2400);
  });
}

/** What in `text` {@link concealed} would change. */
export function shownSigns(text: string): ReadonlySet<string> {
  return new Set(text.match(SHOWN));
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, "0");
}
