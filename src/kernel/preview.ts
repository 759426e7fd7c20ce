/**
 * The bounded view of a long payload (S6): head and tail, a count of what was left out, and where to read it all.
 */
import type { AgentPath } from "../paths.js";
import type { Point } from "../events/point.js";
import { formatPoint } from "../events/point.js";

/** The most characters (Unicode code points) of a payload that a sample is shown (S6, M9). */
export const PREVIEW_CHARS = 32_768;

/**
 * A payload as its reader sees it: unchanged at or under {@link PREVIEW_CHARS} characters, else head and tail. Cuts at a
 * line end where one lies in the half of the part next to the cut, never inside a character.
 */
export function preview(
  text: string,
  where: { readonly path: AgentPath; readonly at: Point },
): string {
  if (text.length <= PREVIEW_CHARS) return text;
  const chars = countChars(text);
  if (chars <= PREVIEW_CHARS) return text;
  const notice = (left: number): string =>
    `\n[... ${left} characters left out; the whole text is in the transcript of ${where.path} at ${formatPoint(where.at)} ...]\n`;
  // A path can be long, so the notice is measured; it is never longer than with the count of the whole text.
  const part = Math.floor((PREVIEW_CHARS - notice(chars).length) / 2);
  const head = headOf(text, part);
  const tail = tailOf(text, part);
  return `${head}${notice(chars - countChars(head) - countChars(tail))}${tail}`;
}

/** How many code points a well-formed text has. */
export function countChars(text: string): number {
  let low = 0;
  for (let i = 0; i < text.length; i++) if (isLow(text.charCodeAt(i))) low++;
  return text.length - low;
}

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** The code unit at which the first `chars` characters end. */
function unitsFromStart(text: string, chars: number): number {
  let unit = 0;
  for (let left = chars; left > 0 && unit < text.length; left--) {
    unit += isLow(text.charCodeAt(unit + 1)) ? 2 : 1;
  }
  return unit;
}

function unitsFromEnd(text: string, chars: number): number {
  let unit = text.length;
  for (let left = chars; left > 0 && unit > 0; left--)
    unit -= isLow(text.charCodeAt(unit - 1)) ? 2 : 1;
  return unit;
}

function headOf(text: string, chars: number): string {
  const end = unitsFromStart(text, chars);
  const line = text.lastIndexOf("\n", end);
  if (line < unitsFromStart(text, Math.floor(chars / 2))) return text.slice(0, end);
  // A line that ends with CRLF ends before both.
  return text.slice(0, text[line - 1] === "\r" ? line - 1 : line);
}

function tailOf(text: string, chars: number): string {
  const start = unitsFromEnd(text, chars);
  const line = text.indexOf("\n", start - 1);
  const latest = unitsFromEnd(text, Math.floor(chars / 2));
  return text.slice(line !== -1 && line < latest ? line + 1 : start);
}
