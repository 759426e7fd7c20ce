/**
 * The errors that cross the public surface: one base class, stable codes, the rule behind each, and the cause.
 * Refusals of the kernel are data (`Rejection`); the shell throws them as `Refused`.
 */

const BRAND = Symbol.for("dovecote.error");

/** Every code an error of this library can carry. Stable: messages may change, codes do not (X4). */
export type ErrorCode =
  | RejectionCode
  | "log-in-use"
  | "log-corrupt"
  | "log-tail-lost"
  | "log-cut"
  | "log-format"
  | "log-not-a-log"
  | "log-unavailable"
  | "import-broken"
  | "outcome-unknown"
  | "session-degraded"
  | "bad-argument"
  | "schedule-mismatch"
  | "fuzz-failed"
  | "bug";

/** The stable codes of refusals: bad requests that wrote nothing (X4). */
export type RejectionCode =
  | "target-empty"
  | "target-malformed"
  | "target-unknown"
  | "target-ended"
  | "name-invalid"
  | "path-taken"
  | "path-too-deep"
  | "text-empty"
  | "text-not-a-string"
  | "text-ill-formed"
  | "behavior-unknown"
  | "role-lacks-tool"
  | "role-unknown"
  | "at-capacity"
  | "not-idle"
  | "turn-over"
  | "turn-busy"
  | "timeout-invalid"
  | "interrupt-root"
  | "interrupt-self"
  | "capacity-invalid"
  | "end-root"
  | "hold-invalid"
  | "limit-turns"
  | "limit-agents"
  | "mailbox-full"
  | "handler-taken"
  | "not-a-child"
  | "usage-invalid"
  | "not-blocked"
  | "start-interrupted"
  | "start-failed"
  | "too-large"
  | "session-closed"
  | "key-reused"
  | "value-not-json"
  | "message-too-long"
  | "target-replaced"
  | "operation-reused"
  | "operation-unknown"
  | "job-unknown"
  | "job-self"
  | "job-not-yours"
  | "job-ended"
  | "job-full"
  | "read-only";

/** A refusal as data: what happened, which rule, what to do (X4). Nothing was written. */
export interface Rejection {
  readonly code: RejectionCode;
  /** The contract rule that refused, such as `A2`. */
  readonly rule: string;
  readonly message: string;
}

/**
 * Base class of everything this library throws on purpose. `instanceof` works across copies of the package.
 *
 * @example
 * try { await session.send("/root/nobody", "hi") }
 * catch (error) { if (error instanceof DovecoteError && error.code === "target-unknown") spawnIt() }
 */
export class DovecoteError extends Error {
  /** Stable; see docs/errors.md. */
  readonly code: ErrorCode;
  /** The contract rule behind it, such as `M3`. */
  readonly rule: string;

  constructor(code: ErrorCode, rule: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.rule = rule;
    Object.defineProperty(this, BRAND, { value: new.target.name });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (typeof value !== "object" || value === null || !(BRAND in value)) return false;
    if (this === DovecoteError) return true;
    for (let proto: unknown = value; typeof proto === "object" && proto !== null;) {
      proto = Object.getPrototypeOf(proto) as unknown;
      const made = (proto as { constructor?: { name?: string } } | null)?.constructor;
      if (made?.name === this.name) return true;
    }
    return false;
  }
}

/** A request was refused; nothing was written (A2, X4). */
export class Refused extends DovecoteError {
  constructor(rejection: Rejection) {
    super(rejection.code, rejection.rule, rejection.message);
  }
}

/** Somebody else holds the log (L5). */
export class LogInUse extends DovecoteError {
  constructor(where: string, options?: { cause?: unknown }) {
    super(
      "log-in-use",
      "L5",
      `${where} is in use by another process or session. Close that one first, or use another folder.`,
      options,
    );
  }
}

/** What kind of damage was met (L3). `store`: the files under the log are missing or can't be read. */
export type Damage =
  | "hole"
  | "checksum"
  | "chain"
  | "shape"
  | "unknown-key"
  | "head"
  | "watermark"
  | "anchor"
  | "store";

/** The log is damaged; its bytes were left as they are (L3). */
export class LogCorrupt extends DovecoteError {
  /** The damaged session; empty when the damage concerns the whole folder. */
  readonly session: string;
  /** First and last commit position that can't be trusted; 0 when it is no commit's. */
  readonly from: number;
  readonly to: number;
  readonly kind: Damage;

  constructor(
    at: { session: string; from: number; to: number; kind: Damage },
    detail: string,
    options?: { cause?: unknown },
  ) {
    const where = at.from === at.to ? `commit ${at.from}` : `commits ${at.from} to ${at.to}`;
    const what =
      at.session === ""
        ? "The log is damaged"
        : `The log of session "${at.session}" is damaged at ${where}`;
    super(
      "log-corrupt",
      "L3",
      `${what} (${at.kind}): ${detail}. Nothing was changed; restore a copy.`,
      options,
    );
    this.session = at.session;
    this.from = at.from;
    this.to = at.to;
    this.kind = at.kind;
  }
}

/** Commits that had been confirmed are missing from the log's end (L3). */
export class TailLost extends DovecoteError {
  readonly session: string;
  readonly expected: number;
  readonly found: number;

  constructor(at: { session: string; expected: number; found: number }) {
    super(
      "log-tail-lost",
      "L3",
      `The log of session "${at.session}" ends at commit ${at.found}, but commit ${at.expected} had been confirmed. Nothing was changed; restore a copy.`,
    );
    this.session = at.session;
    this.expected = at.expected;
    this.found = at.found;
  }
}

/** What was asked for lies below the place where retention has cut the log (S6). Nothing is damaged. */
export class LogCut extends DovecoteError {
  readonly session: string;
  /** The commit that was asked for. */
  readonly position: number;
  /** The last commit that was cut: the log begins after it. */
  readonly anchor: number;

  constructor(at: { session: string; position: number; anchor: number }) {
    super(
      "log-cut",
      "S6",
      `Commit ${at.position} of session "${at.session}" was cut away: its log begins after commit ${at.anchor}. Ask for a later one, or look into a copy from before the cut.`,
    );
    this.session = at.session;
    this.position = at.position;
    this.anchor = at.anchor;
  }
}

/** The log is of a format, or holds an event, that this version does not know (L4). */
export class LogFormatError extends DovecoteError {
  constructor(message: string, options?: { cause?: unknown }) {
    super("log-format", "L4", message, options);
  }
}

/** The folder holds something, but not a log of this library. */
export class NotALog extends DovecoteError {
  constructor(where: string, detail: string, options?: { cause?: unknown }) {
    super(
      "log-not-a-log",
      "L3",
      `${where} is not a dovecote log: ${detail}. Nothing was changed; name an empty or absent folder, or one that dovecote made.`,
      options,
    );
  }
}

/** The log can't be reached or opened for a reason of the file system's. */
export class LogUnavailable extends DovecoteError {
  constructor(message: string, options?: { cause?: unknown }) {
    super("log-unavailable", "L6", message, options);
  }
}

/** A line of an import is not what an export writes; nothing was imported (L4). */
export class ImportBroken extends DovecoteError {
  /** The number of the line, from 1. */
  readonly line: number;

  constructor(line: number, detail: string, options?: { cause?: unknown }) {
    super(
      "import-broken",
      "L4",
      `Line ${line} is broken: ${detail}. Nothing was imported.`,
      options,
    );
    this.line = line;
  }
}

/** The store failed in the middle: whether the commit is there, a reopen tells (M3). */
export class OutcomeUnknown extends DovecoteError {
  readonly commitId: string;

  constructor(commitId: string, options?: { cause?: unknown }) {
    super(
      "outcome-unknown",
      "M3",
      `The store failed while commit ${commitId} was being written. Close and reopen the session to learn whether it is there.`,
      options,
    );
    this.commitId = commitId;
  }
}

/** The store failed; the session takes no more commands until it is reopened (L6). */
export class SessionDegraded extends DovecoteError {
  constructor(options?: { cause?: unknown }) {
    super(
      "session-degraded",
      "L6",
      "The session's log failed a write. Reads go on; close and reopen the session to recover.",
      options,
    );
  }
}

/** An argument that no rule of the contract speaks of is unusable. */
export class BadArgument extends DovecoteError {
  constructor(message: string, rule = "X4") {
    super("bad-argument", rule, message);
  }
}

/** A recorded schedule does not fit the code as it is now: a step that it takes is not possible. */
export class ScheduleMismatch extends DovecoteError {
  /** How many steps had been taken, from 0. */
  readonly at: number;
  readonly expected: string;
  /** What was possible instead. */
  readonly enabled: readonly string[];

  constructor(at: number, expected: string, enabled: readonly string[]) {
    const possible =
      enabled.length === 0 ? "nothing was possible" : `possible were ${enabled.join(", ")}`;
    super(
      "schedule-mismatch",
      "X4",
      `Step ${at} of the schedule should be ${expected}, but ${possible}. The code has changed since the token was made: replay it guided, or fuzz anew.`,
    );
    this.at = at;
    this.expected = expected;
    this.enabled = enabled;
  }
}

/** The library broke an invariant of its own: a bug, please report it. */
export class Bug extends DovecoteError {
  constructor(message: string, options?: { cause?: unknown }) {
    super("bug", "L1", `Bug in dovecote: ${message}`, options);
  }
}
