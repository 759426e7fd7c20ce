/**
 * Order points: the only order a session has. Commits are numbered without gaps from 1,
 * events inside one from 0; a point names one event.
 */

/** Where an event stands: (commit position, index in it). Compare with {@link comparePoints} only. */
export type Point = readonly [commit: number, index: number];

/** Negative when `a` comes before `b`, zero when they are the same event. */
export function comparePoints(a: Point, b: Point): number {
  return a[0] - b[0] || a[1] - b[1];
}

/** Whether two points name the same event. */
export function samePoint(a: Point, b: Point): boolean {
  return a[0] === b[0] && a[1] === b[1];
}

/** A point as text, for keys and for people: `12.3`. */
export function formatPoint(point: Point): string {
  return `${point[0]}.${point[1]}`;
}
