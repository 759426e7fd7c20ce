/**
 * Commits as text and back. A commit is one sealed JSON text `{ h, v, n, epoch, prev, at, id, e, k }`; its hash covers
 * `prev`, the header and the exact bytes of the body. The fields that make the chain stand first, so that a chain can
 * be checked without parsing a body. Knows nothing of where the text is kept.
 */
import { LogCorrupt, LogFormatError, type Damage } from "../errors.js";
import { FORMAT_VERSION, type Commit, type CommitDraft } from "./commit.js";
import type { DovecoteEvent } from "./events.js";
import { checkSeal, seal, SEAL_LENGTH, type Sealed, type Sha256 } from "./sealed.js";
import { shapeFault } from "./shapes.js";
import { UPCASTERS, upcasterFrom, type StoredEvent, type Upcasters } from "./upcasters.js";

/** Where a record was found: what an error about it names. */
export interface Place {
  readonly session: string;
  readonly position: number;
}

/** The part of a commit that makes it a link of the chain. */
export interface Link {
  readonly version: number;
  readonly n: number;
  readonly epoch: number;
  readonly prev: string;
  readonly hash: string;
}

const HEADER =
  /"v":([0-9]{1,15}),"n":([0-9]{1,15}),"epoch":([0-9]{1,15}),"prev":"([0-9a-f]{64})?","at":/y;

/** The damage error for one record. */
export function corrupt(place: Place, kind: Damage, detail: string): LogCorrupt {
  const { session, position } = place;
  return new LogCorrupt({ session, from: position, to: position, kind }, detail);
}

/**
 * A commit as the text that is stored, bound to the commit before it by `prev` (L2, L3).
 * Text round-trips strictly, whatever it holds (M1).
 */
export function encodeCommit(
  draft: CommitDraft,
  link: { readonly prev: string; readonly epoch: number },
  sha256: Sha256,
): Sealed {
  return seal(
    {
      v: FORMAT_VERSION,
      n: draft.n,
      epoch: link.epoch,
      prev: link.prev,
      at: draft.at,
      id: draft.id,
      e: draft.events,
      k: draft.keys,
    },
    sha256,
  );
}

/**
 * Checks a stored commit's own hash and reads its place in the chain, without parsing its events (L3).
 *
 * @throws LogCorrupt of kind `checksum`, `shape`, or `chain` when its number is not that of its place.
 */
export function readLink(text: string, place: Place, sha256: Sha256): Link {
  const hash = intactHash(text, place, sha256);
  HEADER.lastIndex = SEAL_LENGTH;
  const header = HEADER.exec(text);
  if (header === null) throw corrupt(place, "shape", "it has no commit header");
  const [, version, n, epoch, prev = ""] = header;
  return inPlace(
    { version: Number(version), n: Number(n), epoch: Number(epoch), prev, hash },
    place,
  );
}

/**
 * Reads a stored commit: hash, header, and the shape of every event, upcast where it is older (L3, L4).
 * Fields that this version does not know are kept.
 *
 * @throws LogCorrupt when it is damaged; LogFormatError when it is from the future.
 */
export function decodeCommit(
  text: string,
  place: Place,
  sha256: Sha256,
  upcasters: Upcasters = UPCASTERS,
): Commit {
  const hash = intactHash(text, place, sha256);
  const { v, n, epoch, prev, at, id, e, k } = parse(text, place);
  if (!isCount(v) || !isCount(n) || !isCount(epoch) || !isHashOrNone(prev)) {
    throw corrupt(place, "shape", "it has no commit header");
  }
  inPlace({ version: v, n, epoch, prev, hash }, place);
  const upcast = upcasterFrom(v, upcasters);
  if (typeof at !== "number" || typeof id !== "string" || !Array.isArray(e) || !isKeys(k)) {
    throw corrupt(place, "shape", "its header, its list of events or its keys are malformed");
  }
  const stored =
    upcast === undefined ? (e as unknown[]) : e.map((event) => upcast(asStored(event, place)));
  let index = 0;
  for (const event of stored) checkEvent(asStored(event, place), index++, place);
  const events = stored as readonly DovecoteEvent[];
  return { id, n, at, epoch, prev, hash, events, ...(k === undefined ? {} : { keys: k }) };
}

function isKeys(value: unknown): value is Readonly<Record<string, string>> | undefined {
  if (value === undefined) return true;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((answer) => typeof answer === "string");
}

function intactHash(text: string, place: Place, sha256: Sha256): string {
  const hash = checkSeal(text, sha256);
  if (hash !== undefined) return hash;
  throw corrupt(place, "checksum", "its bytes are not the ones that were written");
}

function inPlace(link: Link, place: Place): Link {
  if (link.n === place.position) return link;
  throw corrupt(place, "chain", `it says that it is commit ${link.n}`);
}

function isHashOrNone(value: unknown): value is string {
  return typeof value === "string" && /^(?:[0-9a-f]{64})?$/.test(value);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function parse(text: string, place: Place): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    throw corrupt(place, "shape", "it is not JSON");
  }
}

function asStored(event: unknown, place: Place): StoredEvent {
  if (typeof event !== "object" || event === null) {
    throw corrupt(place, "shape", "an event of it is not an object");
  }
  return event as StoredEvent;
}

function checkEvent(event: StoredEvent, index: number, place: Place): void {
  const type = event["type"];
  if (typeof type !== "string") {
    throw corrupt(place, "shape", `its event ${index} has no type`);
  }
  const fault = shapeFault(type, event);
  if (fault === undefined) return;
  if (fault === "type") {
    throw new LogFormatError(
      `Commit ${place.position} of session "${place.session}" holds an event "${type}" that this dovecote does not know. Use a newer dovecote.`,
    );
  }
  throw corrupt(
    place,
    "shape",
    `the field "${fault}" of its event ${index} (${type}) is malformed`,
  );
}
