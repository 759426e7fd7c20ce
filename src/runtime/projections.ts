/**
 * The projections that every session keeps.
 */
import { roster } from "../projections/roster.js";
import { transcript } from "../projections/transcript.js";
import { unread } from "../projections/unread.js";
import { usage } from "../projections/usage.js";

/** Roster, unread mail, transcripts and usage, by name. */
export const builtIn = { roster, unread, transcript, usage };

/** Their types. */
export type BuiltIn = typeof builtIn;
