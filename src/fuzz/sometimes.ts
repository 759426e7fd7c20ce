/** Marks that a user's code sets: what a run should reach sometimes. Outside a fuzzed world they do nothing. */

let reached: Set<string> | null = null;

/** Marks that something happened, so that runs that come so far are kept and followed. */
export function sometimes(label: string): void {
  reached?.add(label);
}

/** Gathers marks from here on; `null` stops that. */
export function gatherMarks(marks: Set<string> | null): void {
  reached = marks;
}
