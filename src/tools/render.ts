/**
 * Records as a model reads them: one user-role block each, which no payload can imitate (M9). Previews are cut already
 * when a record comes here (S6). Knows nothing of any model's API.
 */
import type { MailRecord } from "../runtime/api.js";

/** What begins like a tag. Models are lenient readers, so spaces and any letters count. */
const TAG_LIKE = /<(?=\s*[/!?]?\s*\p{L})/gu;
/** What begins like a record's own tag. */
const RECORD_LIKE = /<(?=\s*\/?\s*mail)/giu;
/** What the escape of a tag looks like, and the escape of that. */
const ESCAPED = /&(?=(?:amp;)*lt;)/g;

/**
 * A record as one block of text for a model (M9): type, sender and outcome are attributes, and tag-like text of the
 * payload is escaped, so that no payload can forge a record. The person's INPUT is bare; in it only what looks like a
 * record is escaped.
 *
 * The escape is reversible: `&lt;` stands for `<`, and each `amp;` more for one level more.
 *
 * @example
 * const blocks = input.mail.map((record) => ({ role: "user", content: renderRecord(record) }));
 */
export function renderRecord(record: MailRecord): string {
  const { type, from, text, outcome, warning, mark } = record;
  if (type === "INPUT") return escaped(text, RECORD_LIKE);
  const attributes = [
    attribute("type", type),
    attribute("from", from),
    outcome === undefined ? "" : attribute("outcome", outcome),
    mark === undefined ? "" : attribute("mark", mark),
    warning === undefined ? "" : attribute("warning", warning),
  ];
  return `<mail${attributes.join("")}>\n${escaped(text, TAG_LIKE)}\n</mail>`;
}

function escaped(text: string, tags: RegExp): string {
  return text.replace(ESCAPED, "&amp;").replace(tags, "&lt;");
}

const IN_ATTRIBUTES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  '"': "&quot;",
  "<": "&lt;",
  ">": "&gt;",
  "\n": "&#10;",
  "\r": "&#13;",
};

function attribute(name: string, value: string): string {
  return ` ${name}="${value.replace(/[&"<>\n\r]/g, (sign) => IN_ATTRIBUTES[sign] ?? sign)}"`;
}
