/**
 * The projections that every session keeps.
 */
import { jobs } from "../projections/jobs.js";
import { roster } from "../projections/roster.js";
import { transcript } from "../projections/transcript.js";
import { unread } from "../projections/unread.js";
import { usage } from "../projections/usage.js";

/** Roster, unread mail, transcripts, usage and jobs, by name. */
export const builtIn = { roster, unread, transcript, usage, jobs };

/** Their types. */
export type BuiltIn = typeof builtIn;
