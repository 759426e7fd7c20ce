/**
 * Old events, read as new ones (L4): a table from a version to the step that leads to the next.
 * A step turns one event into one event, because order points count events and must not move.
 */
import { LogFormatError } from "../errors.js";
import { FORMAT_VERSION } from "./commit.js";

/** An event as it was stored: its shape is not known yet. */
export type StoredEvent = Readonly<Record<string, unknown>>;

/** Turns one event of a version into the same event of the next version. Must not change its argument. */
export type Upcaster = (event: StoredEvent) => StoredEvent;

/** The version that is read now, and for each older version the step to the one after it. */
export interface Upcasters {
  readonly current: number;
  readonly steps: Readonly<Record<number, Upcaster>>;
}

/** The steps of this library. There has been one version so far. */
export const UPCASTERS: Upcasters = { current: FORMAT_VERSION, steps: {} };

/**
 * The one function that leads from a version to the current one, found once a commit and not once an event (L4).
 * Answers `undefined` when there is nothing to do.
 *
 * @throws LogFormatError when the version is from the future, or so old that no step starts from it.
 */
export function upcasterFrom(version: number, upcasters: Upcasters): Upcaster | undefined {
  if (version === upcasters.current) return undefined;
  if (version > upcasters.current) {
    throw new LogFormatError(
      `This log holds commits of version ${version}, and this dovecote reads up to version ${upcasters.current}. Use a newer dovecote.`,
    );
  }
  const steps: Upcaster[] = [];
  for (let from = version; from < upcasters.current; from += 1) {
    const step = upcasters.steps[from];
    if (step === undefined) {
      throw new LogFormatError(
        `This log holds commits of version ${version}, and this dovecote knows no way from version ${from} to ${from + 1}.`,
      );
    }
    steps.push(step);
  }
  return (event) => steps.reduce((read, step) => step(read), event);
}
