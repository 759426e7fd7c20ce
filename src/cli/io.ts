/**
 * What the command line writes to, handed in: results on one side, everything else on the other.
 */

/** The world of one call. */
export interface Io {
  /** Writes a line of the result. */
  readonly out: (line: string) => void;
  /** Writes a line of everything else. */
  readonly err: (line: string) => void;
  /** Shows how far something long has come, over what it showed before; only there when somebody looks on. */
  readonly progress?: (text: string) => void;
  /** Characters a line of the terminal holds; 100 where there is none. */
  readonly width: number;
  /** Whether results may be coloured: they go to a terminal, and nobody said NO_COLOR. Not unless given. */
  readonly isColoured?: boolean;
}

/** How a call ended: clean, something was found or differs, or it could not be understood. */
export const EXIT = { ok: 0, found: 1, usage: 2 } as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Prints rows as text, or as one JSON object a line. */
export function print<T>(
  io: Io,
  json: boolean,
  rows: readonly T[],
  text: (row: T) => string,
): void {
  for (const row of rows) io.out(json ? JSON.stringify(row) : text(row));
}
