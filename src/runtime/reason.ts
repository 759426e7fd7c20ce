/**
 * Whatever a behaviour, a hook or a command threw, as a short reason (S1). Anything can be thrown, so nothing is
 * believed of it: not that it is an error, not that its message is text, not that it can be turned into text.
 */
import { shortReason } from "../kernel/text.js";

const WORDLESS = "it threw something that can't be put into words";

/** What was thrown, in words: never empty, never long, always well-formed. */
export function reasonOf(thrown: unknown): string {
  return shortReason(wordsOf(thrown));
}

function wordsOf(thrown: unknown): string {
  try {
    if (typeof thrown !== "object" || thrown === null) return textOf(String(thrown), thrown);
    const { message } = thrown as { readonly message?: unknown };
    if (typeof message === "string" && message.trim() !== "") return message;
    return thrown instanceof Error ? String(thrown) : textOf(JSON.stringify(thrown), thrown);
  } catch {
    return WORDLESS;
  }
}

function textOf(said: unknown, thrown: unknown): string {
  if (typeof said !== "string") return WORDLESS;
  return said.trim() === "" ? `it threw ${JSON.stringify(thrown)}` : said;
}
