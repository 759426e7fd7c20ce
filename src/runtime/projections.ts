/**
 * The projections that every session keeps.
 */
import { roster } from "../projections/roster.js";
import { transcript } from "../projections/transcript.js";
import { unread } from "../projections/unread.js";

/** Roster, unread mail and transcripts, by name. */
export const builtIn = { roster, unread, transcript };

/** Their types. */
export type BuiltIn = typeof builtIn;
