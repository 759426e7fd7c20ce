/** Ids of jobs: `j1`, `j2` and so on, in the order in which they were made (J1). */

/** The id of a job. */
export type JobId = `j${number}`;

/** The id of the job of this number. */
export function jobId(number: number): JobId {
  return `j${number}`;
}

/** The number of a job's id; `null` for what is no such id. */
export function readJobId(id: unknown): number | null {
  return typeof id === "string" && /^j[1-9]\d{0,14}$/.test(id) ? Number(id.slice(1)) : null;
}
