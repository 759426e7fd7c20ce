/**
 * The public surface of `dovecote`, written by hand.
 */
export { openSession, type SessionOptions } from "./runtime/openSession.js";
export { readSession, type ReadOnlySession, type ReadOptions } from "./runtime/readSession.js";
export type { Session } from "./runtime/session.js";
export type {
  AgentIdentity,
  AgentParentReference,
  InboxAppend,
  InboxLookup,
  PeerInbox,
  PeerMessage,
  PeerMessageOptions,
  PeerMessageResult,
  PeerOptions,
  PeerPlace,
  PeerReceipt,
  PeerRecipientResult,
  ReportParent,
} from "./runtime/peer/api.js";
export type { JobInfo, Jobs, JobSendAnswer, JobWaitAnswer } from "./runtime/jobsApi.js";
export type { RequestOptions } from "./runtime/person.js";
export type { SessionProjections, SessionView } from "./runtime/sessionView.js";
export type {
  AgentInfo,
  Behavior,
  Blocked,
  ExecutionOptions,
  Finalisation,
  Finaliser,
  HostSpawnOptions,
  InterruptAnswer,
  MailRecord,
  Opening,
  Preparation,
  Quiet,
  ReleaseHold,
  SampleInput,
  SendAnswer,
  SpawnOptions,
  TakenResult,
  Task,
  Transcript,
  TranscriptItem,
  Turn,
  TurnOutcome,
  UsageReport,
  WaitAnswer,
} from "./runtime/api.js";
export { renderRecord } from "./tools/render.js";
export type { Cancel, Ports } from "./runtime/ports.js";
export type { AgentActor, Inspect, Inspection } from "./actors/agentActors.js";
export { cutLog, type CutOptions, type CutReport } from "./runtime/cutLog.js";
export { levelLog, readLevelLog, salvageLog } from "./log/levelLog.js";
export type { LeftOut, LeftReason, SalvagedSession, SalvageReport } from "./log/salvage.js";
export { memoryLog } from "./log/memoryLog.js";
export { readLines, writeLines } from "./log/lines.js";
export {
  exportLog,
  type ExportOptions,
  importLog,
  type Imported,
  type Lines,
  type TransferOptions,
  type TransferProgress,
} from "./log/transfer.js";
export {
  type LogReport,
  type SessionReport,
  verifyLog,
  type VerifyOptions,
  type VerifyProgress,
} from "./log/verify.js";
export type {
  Anchor,
  AppendResult,
  EventLog,
  Head,
  KeyAnswer,
  ReadRange,
  SessionLog,
  SessionReader,
  Snapshot,
  StoredCommit,
} from "./log/log.js";
export type { Commit, CommitDraft } from "./events/commit.js";
export { type Preset, type PresetName, presets } from "./kernel/presets.js";
export type { JobId } from "./kernel/jobIds.js";
export type { Limits } from "./kernel/state.js";
export type {
  DovecoteEvent,
  Json,
  MailType,
  OutcomeKind,
  Role,
  Sender,
  Usage,
} from "./events/events.js";
export type { Point } from "./events/point.js";
export { placeCommit } from "./projections/projection.js";
export type { Roster, RosterEntry } from "./projections/roster.js";
export type { ProjectionView, Readable, Unsubscribe } from "./projections/store.js";
export { buildTimeline, type TimelineEntry } from "./projections/timeline.js";
export { renderTimeline } from "./projections/timelineText.js";
export { ROOT, type AgentPath } from "./paths.js";
export {
  BadArgument,
  Bug,
  DovecoteError,
  type ErrorCode,
  ImportBroken,
  LogCorrupt,
  LogCut,
  LogFormatError,
  LogInUse,
  LogUnavailable,
  NotALog,
  OutcomeUnknown,
  Refused,
  ScheduleMismatch,
  SessionDegraded,
  TailLost,
} from "./errors.js";
