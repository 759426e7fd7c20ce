/**
 * JSON pointers (RFC 6901) into a text that is JSON.
 */
import { BadArgument } from "../errors.js";
import type { Json } from "../events/events.js";

/**
 * What a pointer names in a JSON text.
 *
 * @throws BadArgument when the text is no JSON, the pointer is none, or it names nothing
 * @example pointInto('{"a":[1,2]}', "/a/1") // 2
 */
export function pointInto(text: string, pointer: string): Json {
  if (pointer !== "" && !pointer.startsWith("/")) {
    throw new BadArgument(`A JSON pointer is empty or begins with a slash, as in /files/0.`);
  }
  let here: Json;
  try {
    here = JSON.parse(text) as Json;
  } catch {
    throw new BadArgument(
      "The result is not JSON, so a pointer names nothing in it. Leave it out.",
    );
  }
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const isPlace = !Array.isArray(here) || /^(0|[1-9]\d*)$/u.test(key);
    if (typeof here !== "object" || here === null || !isPlace || !Object.hasOwn(here, key)) {
      throw new BadArgument(`There is nothing at ${pointer}: ${JSON.stringify(key)} is not there.`);
    }
    here = (here as Readonly<Record<string, Json>>)[key] ?? null;
  }
  return here;
}
