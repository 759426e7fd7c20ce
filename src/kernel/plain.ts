/**
 * Folded states as text and back: plain JSON, in which the two persistent containers have a form of their own. What it
 * gives back is equal to what it was given, in content and in shape; identity is lost, so no state may rely on it.
 */
import { PersistentMap, Row, emptyMap } from "./persistent.js";

const MAP = "$map";
const ROW = "$row";

/** A state as JSON. It may hold what JSON can carry, and persistent maps and rows of it, at any depth. */
export function freeze(state: unknown): string {
  return JSON.stringify(state, (_, value: unknown) => {
    if (value instanceof PersistentMap) return { [MAP]: [...value.entries()] };
    return value instanceof Row ? { [ROW]: value.toArray() } : value;
  });
}

/** The state that {@link freeze} was given. Believes its input: whoever stored it seals it. */
export function thaw(text: string): unknown {
  return revive(JSON.parse(text));
}

/** In place: what was parsed just now belongs to nobody else. */
function revive(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      if (typeof item === "object") value[index] = revive(item);
    }
    return value;
  }
  const fields = value as Record<string, unknown>;
  const map = fields[MAP];
  if (Array.isArray(map)) return reviveMap(map as (readonly [string, unknown])[]);
  const row = fields[ROW];
  if (Array.isArray(row)) return Row.of(revive(row) as unknown[]);
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    if (typeof field === "object" && field !== null) fields[name] = revive(field);
  }
  return fields;
}

function reviveMap(
  entries: readonly (readonly [string, unknown])[],
): PersistentMap<string, unknown> {
  let map = emptyMap<string, unknown>();
  for (const [key, value] of entries) map = map.set(key, revive(value));
  return map;
}
