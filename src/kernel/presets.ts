/**
 * The three ways of working as data (section 12): what differs between them is looked up here by the rules, which are
 * one and the same. Owns the presets; knows nothing of sessions, agents or events.
 */

/** The three ways of working: a tree of agents (sections 1-9), owned jobs (10), messages with parent copies (11). */
export type PresetName = "tree" | "jobs" | "peer";

/** One way of working. What is in it is the library's own. */
export interface Preset {
  readonly name: PresetName;
}

/** What may be sent. `null` is no bound but that of the session's limits (X2). */
interface Admission {
  /** The longest message, in bytes of UTF-8 (J3, O4). */
  readonly bytes: number | null;
  /** How many messages may wait for one recipient (J3). */
  readonly waiting: number | null;
  /** Whether the host's redactor is applied first (J3). */
  readonly redacts: boolean;
  /** What becomes of a message that a read-only turn sends: it carries a stamp (P2), or is refused (J4). */
  readonly readOnly: "stamp" | "refuse";
}

/** What the rules look up. */
export interface Policies extends Preset {
  /** Whom a message may reach: anybody in the tree (A4), what its sender owns (J2), one exact generation (O2). */
  readonly addressing: "tree" | "owner" | "exact";
  /** What MAIL sets going: it marks (W1), is read by a turn that runs (J1), or nothing (O6). */
  readonly activation: "marks" | "boundary" | "never";
  readonly admission: Admission;
  /** Where no slot is free for what a message would start: it waits for one (M7), or none can be started by it. */
  readonly atCapacity: "queue" | "refuse";
  /** Mail that is there when a turn has its answer: for a new turn (W4), or the same one answers once more (J6). */
  readonly lateMail: "turn" | "extend";
  /** How long an agent is there for: until it is ended (A5), or it ends with its turn and its owner (J6). */
  readonly lifetime: "retained" | "owner";
  /** What a send answers: nothing (M7), the stored text and what waits (J4), receipts (O6). */
  readonly acknowledgement: "empty" | "quoted" | "receipts";
}

/** Frozen to the bottom: what the rules look up is the same for everybody, for ever. */
function frozen(policies: Policies): Policies {
  Object.freeze(policies.admission);
  return Object.freeze(policies);
}

const POLICIES: Readonly<Record<PresetName, Policies>> = Object.freeze({
  tree: frozen({
    name: "tree",
    addressing: "tree",
    activation: "marks",
    admission: { bytes: null, waiting: null, redacts: false, readOnly: "stamp" },
    atCapacity: "queue",
    lateMail: "turn",
    lifetime: "retained",
    acknowledgement: "empty",
  }),
  jobs: frozen({
    name: "jobs",
    addressing: "owner",
    activation: "boundary",
    admission: { bytes: 4_096, waiting: 8, redacts: true, readOnly: "refuse" },
    atCapacity: "refuse",
    lateMail: "extend",
    lifetime: "owner",
    acknowledgement: "quoted",
  }),
  peer: frozen({
    name: "peer",
    addressing: "exact",
    activation: "never",
    admission: { bytes: 4_000, waiting: null, redacts: false, readOnly: "stamp" },
    atCapacity: "queue",
    lateMail: "turn",
    lifetime: "retained",
    acknowledgement: "receipts",
  }),
});

/**
 * The three ways of working, frozen (section 12). A session is made with one, by its name, and keeps it.
 *
 * @example
 * const session = await openSession({ log: "./data", behaviors, preset: presets.jobs.name });
 */
export const presets: Readonly<Record<PresetName, Preset>> = POLICIES;

/** What the rules look up for a session of this preset. */
export function policiesOf(name: PresetName): Policies {
  return POLICIES[name];
}

/** Whether this names a preset. */
export function isPresetName(name: unknown): name is PresetName {
  return typeof name === "string" && Object.hasOwn(POLICIES, name);
}
