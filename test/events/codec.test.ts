import { describe, expect, it } from "vitest";
import type { CommitDraft } from "../../src/events/commit.js";
import { decodeCommit, encodeCommit, readLink } from "../../src/events/codec.js";
import { seal } from "../../src/events/sealed.js";
import { UPCASTERS, upcasterFrom, type Upcasters } from "../../src/events/upcasters.js";
import { sha256 } from "../../src/log/sha256.js";
import { ODD_TEXTS } from "../../src/testing/logSupport.js";

const PLACE = { session: "s", position: 7 };
const LINK = { prev: "a".repeat(64), epoch: 3 };

function draftOf(...events: readonly object[]): CommitDraft {
  return { id: "c7", n: 7, at: 1_700_000_000_000, events: events as CommitDraft["events"] };
}

const MAIL = {
  type: "mail.queued",
  cause: [3, 1],
  path: "/root/a",
  gen: 0,
  mail: "MAIL",
  from: "person",
  text: "hello",
};

/** A commit whose seal is right, whatever its fields are: what a bug or another version could have written. */
function forged(fields: object): string {
  return seal({ v: 1, n: 7, epoch: 3, prev: LINK.prev, at: 1, id: "x", ...fields }, sha256).text;
}

function decode(text: string, upcasters?: Upcasters): ReturnType<typeof decodeCommit> {
  return decodeCommit(text, PLACE, sha256, upcasters);
}

function faultOf(text: string): unknown {
  try {
    decode(text);
  } catch (error) {
    return error;
  }
  throw new Error("was decoded");
}

describe("the commit codec", () => {
  it("M1 gives back strictly what it was given, odd texts included", () => {
    const draft = draftOf(...ODD_TEXTS.map((text) => ({ ...MAIL, text })));
    const { text, hash } = encodeCommit(draft, LINK, sha256);
    expect(decode(text)).toStrictEqual({ ...draft, ...LINK, hash });
  });

  it("L3 the hash covers the commit before, the header and the body", () => {
    const hashOf = (draft: CommitDraft, link = LINK): string =>
      encodeCommit(draft, link, sha256).hash;
    const base = draftOf(MAIL);
    const hashes = [
      hashOf(base),
      hashOf(base, { ...LINK, prev: "b".repeat(64) }),
      hashOf(base, { ...LINK, epoch: 4 }),
      hashOf({ ...base, id: "c8" }),
      hashOf({ ...base, n: 8 }),
      hashOf({ ...base, at: 1 }),
      hashOf(draftOf({ ...MAIL, text: "hellp" })),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(hashOf(base)).toBe(hashes[0]);
  });

  it("L3 any changed, missing or added byte is a checksum error that names the commit", () => {
    const { text } = encodeCommit(draftOf(MAIL), LINK, sha256);
    for (let at = 0; at < text.length; at += 1) {
      const flipped = text[at] === "0" ? "1" : "0";
      const damaged = text.slice(0, at) + flipped + text.slice(at + 1);
      expect(() => decode(damaged)).toThrow(
        expect.objectContaining({ code: "log-corrupt", kind: "checksum", from: 7, to: 7 }),
      );
    }
    for (const damaged of ["", "{", text.slice(0, -1), `${text} `, `{"h":"`, "null"]) {
      expect(faultOf(damaged)).toMatchObject({ code: "log-corrupt", kind: "checksum" });
    }
  });

  it("L3 what is written differently but means the same is damage: nothing is serialised again", () => {
    const { text } = encodeCommit(draftOf(MAIL), LINK, sha256);
    expect(faultOf(text.replace('"gen":0', '"gen":0.0'))).toMatchObject({ kind: "checksum" });
  });

  it("L3 a commit under another's number is a chain error", () => {
    const { text } = encodeCommit({ ...draftOf(MAIL), n: 8 }, LINK, sha256);
    expect(faultOf(text)).toMatchObject({ code: "log-corrupt", kind: "chain", from: 7 });
  });

  it("L3 the link is read without the events", () => {
    const { text, hash } = encodeCommit(draftOf({ type: "no.such" }), LINK, sha256);
    expect(readLink(text, PLACE, sha256)).toEqual({ version: 1, n: 7, hash, ...LINK });
  });

  const malformed: readonly (readonly [string, object])[] = [
    ["no events", { e: undefined }],
    ["events that are no list", { e: {} }],
    ["an event that is no object", { e: ["x"] }],
    ["an event that is null", { e: [null] }],
    ["an event without a type", { e: [{ cause: [1, 0] }] }],
    ["no time", { at: null, e: [] }],
    ["no id", { id: 3, e: [] }],
    ["a hash before that is none", { prev: "abc", e: [] }],
    ["a fractional number", { n: 7.5, e: [] }],
    ["a field in the wrong form", { e: [{ ...MAIL, gen: "0" }] }],
    ["a missing field", { e: [{ ...MAIL, from: undefined }] }],
    ["a malformed path", { e: [{ ...MAIL, path: "/root//a" }] }],
    ["a cause that is none", { e: [{ ...MAIL, cause: "because" }] }],
    ["a negative point", { e: [{ ...MAIL, cause: [-1, 0] }] }],
    ["an optional field in the wrong form", { e: [{ ...MAIL, text: 5 }] }],
    ["a nested field in the wrong form", { e: [{ ...MAIL, by: { path: "/root", gen: 0 } }] }],
    ["an unknown word", { e: [{ ...MAIL, mail: "POST" }] }],
  ];
  it.each(malformed)("L3 %s is damage of shape", (_, fields) => {
    expect(faultOf(forged(fields))).toMatchObject({ code: "log-corrupt", kind: "shape", from: 7 });
  });

  it("L4 unknown extra fields are kept, at every depth", () => {
    const event = {
      type: "settlement.began",
      cause: [1, 0],
      path: "/root/a",
      gen: 0,
      turn: 1,
      outcome: { kind: "errored", reason: "x", later: { deep: [1] } },
      extra: "kept",
    };
    expect(decode(encodeCommit(draftOf(event), LINK, sha256).text).events).toStrictEqual([event]);
  });

  it("L4 an unknown event type is from the future", () => {
    const { text } = encodeCommit(draftOf({ ...MAIL, type: "mail.teleported" }), LINK, sha256);
    expect(() => decode(text)).toThrow(/mail\.teleported/);
    expect(faultOf(text)).toMatchObject({ code: "log-format", rule: "L4" });
  });

  it("L4 a future version is refused before its events are looked at", () => {
    expect(faultOf(forged({ v: 2, e: ["anything"] }))).toMatchObject({ code: "log-format" });
  });
});

describe("upcasters", () => {
  const upcasters: Upcasters = {
    current: 3,
    steps: {
      1: ({ body, ...event }) => ({ ...event, text: body }),
      2: (event) => ({ ...event, text: `${String(event["text"])}!` }),
    },
  };

  it("L4 an older event goes through every step up to the current version", () => {
    const { text: _, ...old } = MAIL;
    const text = forged({ e: [{ ...old, body: "hello" }] });
    expect(decode(text, upcasters).events).toEqual([{ ...MAIL, text: "hello!" }]);
  });

  it("L4 what comes out of the steps is checked like any other event", () => {
    const broken: Upcasters = { current: 2, steps: { 1: () => ({ type: "mail.queued" }) } };
    expect(() => decode(forged({ e: [MAIL] }), broken)).toThrow(
      expect.objectContaining({ kind: "shape" }),
    );
  });

  it("L4 a version that no step starts from, and one from the future, are refused", () => {
    expect(() => upcasterFrom(0, upcasters)).toThrow(/no way from version 0/);
    expect(() => upcasterFrom(4, upcasters)).toThrow(/Use a newer dovecote/);
    expect(upcasterFrom(3, upcasters)).toBeUndefined();
  });

  it("L4 the library's own table leads from every older version to the one it writes", () => {
    for (let version = 1; version < UPCASTERS.current; version += 1) {
      expect(() => upcasterFrom(version, UPCASTERS)).not.toThrow();
    }
  });
});
