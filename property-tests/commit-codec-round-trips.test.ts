/** Every commit, whatever text and data it carries, is read back strictly equal, and its hash is a function of it (M1, L3). */
import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { decodeCommit, encodeCommit } from "../src/events/codec.js";
import type { CommitDraft } from "../src/events/commit.js";
import type { DovecoteEvent, Json } from "../src/events/events.js";
import { sha256 } from "../src/log/sha256.js";

// "binary" reaches lone surrogates too: the kernel refuses them in text, but the codec must not depend on that.
const text = fc.string({ unit: "binary" });
const point = fc.tuple(fc.nat(), fc.nat());
const json = fc.jsonValue({ noUnicodeString: false }).map((value) => value as Json);

const event: fc.Arbitrary<DovecoteEvent> = fc.oneof(
  fc.record({
    type: fc.constant("mail.queued" as const),
    cause: point,
    path: fc.constantFrom("/root" as const, "/root/a/b_1" as const),
    gen: fc.nat(),
    mail: fc.constantFrom("MAIL" as const, "INPUT" as const),
    from: fc.constant("person" as const),
    text,
  }),
  fc.record({
    type: fc.constant("transcript.recorded" as const),
    cause: fc.constant("host:record" as const),
    path: fc.constant("/root" as const),
    gen: fc.nat(),
    turn: fc.nat(),
    entry: json,
  }),
);

const draft: fc.Arbitrary<CommitDraft> = fc.record({
  id: text,
  n: fc.integer({ min: 1 }),
  at: fc.integer(),
  events: fc.array(event, { maxLength: 5 }),
});

const link = fc.record({
  prev: fc.constantFrom("", "0".repeat(64), "9f".repeat(32)),
  epoch: fc.nat(),
});

describe("the commit codec", () => {
  test.prop([draft, link])("M1 reads back strictly what was written", (commit, at) => {
    const { text: stored, hash } = encodeCommit(commit, at, sha256);
    const place = { session: "s", position: commit.n };
    // JSON has one zero; the sign of a negative one is all that is lost.
    const positive = JSON.parse(JSON.stringify(commit)) as CommitDraft;
    expect(decodeCommit(stored, place, sha256)).toStrictEqual({ ...positive, ...at, hash });
    expect(Buffer.from(stored, "utf8").toString("utf8")).toBe(stored);
  });

  test.prop([draft, link, fc.nat(), fc.nat({ max: 255 })])(
    "L3 refuses a commit with one byte changed",
    (commit, at, where, byte) => {
      const bytes = Buffer.from(encodeCommit(commit, at, sha256).text, "utf8");
      const index = where % bytes.length;
      fc.pre(bytes[index] !== byte);
      bytes[index] = byte;
      const damaged = bytes.toString("utf8");
      const place = { session: "s", position: commit.n };
      expect(() => decodeCommit(damaged, place, sha256)).toThrow(/damaged/);
    },
  );
});
