/** The containers of the kernel's state behave as the plain ones of the language, and older versions never change. */
import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { PersistentMap, Row, emptyMap, emptyRow } from "../../src/kernel/persistent.js";

/** Four keys of one and the same hash, found by search; see the test that checks it. */
const COLLIDING = [
  "/root/v03xo_1d18p88fj_2e",
  "/root/v03xo_1dv3jp6n_2i",
  "/root/dw5g6i_2m18p88fj_2e",
  "/root/dw5g6i_2mv3jp6n_2i",
] as const;

const key = fc.oneof(
  fc.constantFrom(...COLLIDING, "__proto__", "constructor", ""),
  fc.string({ maxLength: 2 }),
  fc.nat({ max: 200 }).map((n) => `/root/agent_${n}`),
);
const change = fc.record({ key, value: fc.option(fc.nat(), { nil: undefined }) });

describe("PersistentMap", () => {
  test.prop([fc.array(change, { maxLength: 200 })])(
    "equals a Map after every change",
    (changes) => {
      const plain = new Map<string, number>();
      let map = emptyMap<string, number>();
      for (const { key: at, value } of changes) {
        const before = map;
        const sizeBefore = plain.size;
        const valueBefore = plain.get(at);
        if (value === undefined) {
          plain.delete(at);
          map = map.delete(at);
        } else {
          plain.set(at, value);
          map = map.set(at, value);
        }
        expect(map.size).toBe(plain.size);
        expect(before.size).toBe(sizeBefore);
        expect(before.get(at)).toBe(valueBefore);
        expect(map.get(at)).toBe(plain.get(at));
      }
      for (const { key: at } of changes) {
        expect(map.get(at)).toBe(plain.get(at));
        expect(map.has(at)).toBe(plain.has(at));
      }
      expect(new Set(map.values())).toEqual(new Set(plain.values()));
    },
  );

  test.prop([fc.uniqueArray(key, { maxLength: 60 }), fc.uniqueArray(key, { maxLength: 60 })])(
    "iterates equal content in equal order, whatever its history",
    (keys, gone) => {
      const straight = keys.reduce((map, at) => map.set(at, at), emptyMap<string, string>());
      let winding = gone.reduce((map, at) => map.set(at, "old"), emptyMap<string, string>());
      for (const at of keys.toReversed()) winding = winding.set(at, at);
      for (const at of gone) if (!keys.includes(at)) winding = winding.delete(at);
      expect([...winding.values()]).toEqual([...straight.values()]);
    },
  );

  it("keeps keys of one hash apart", () => {
    const both = COLLIDING.reduce((map, at) => map.set(at, at), emptyMap<string, string>());
    expect(leavesOfOnlySlot(both)).toBe(COLLIDING.length);
    expect(both.size).toBe(COLLIDING.length);
    for (const at of COLLIDING) {
      expect(both.get(at)).toBe(at);
      expect(both.delete(at).get(at)).toBeUndefined();
      expect(both.delete(at).size).toBe(COLLIDING.length - 1);
    }
    expect(COLLIDING.reduce((map, at) => map.delete(at), both).size).toBe(0);
  });

  it("has no key that was never set", () => {
    expect(PersistentMap.empty.has("toString" as never)).toBe(false);
    expect(emptyMap<string, number>().delete("absent").size).toBe(0);
  });
});

/** How many keys share the one slot of a map; keys of different hashes would not collide there. */
function leavesOfOnlySlot(map: PersistentMap<string, string>): number | undefined {
  const { root } = map as unknown as {
    readonly root: { readonly slots: readonly { readonly leaves?: readonly unknown[] }[] };
  };
  return root.slots.length === 1 ? root.slots[0]?.leaves?.length : undefined;
}

type RowStep =
  | { readonly kind: "push"; readonly item: number; readonly on: number }
  | { readonly kind: "rest"; readonly on: number }
  | { readonly kind: "without"; readonly on: number; readonly place: number }
  | { readonly kind: "filter"; readonly on: number; readonly modulo: number };

const on = fc.nat();
const rowStep: fc.Arbitrary<RowStep> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("push" as const), item: fc.nat(), on }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("rest" as const), on }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("without" as const), on, place: fc.nat({ max: 9 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("filter" as const),
      on,
      modulo: fc.integer({ min: 1, max: 4 }),
    }),
  },
);

/** Steps go on from any version: mostly the newest, so that rows grow, now and then from an old one. */
function applyRow(row: Row<number>, step: RowStep): Row<number> {
  if (step.kind === "push") return row.push(step.item);
  if (step.kind === "rest") return row.rest();
  if (step.kind === "without") return row.without(step.place);
  return row.filter((item) => item % step.modulo === 0);
}

function applyArray(items: readonly number[], step: RowStep): readonly number[] {
  if (step.kind === "push") return [...items, step.item];
  if (step.kind === "rest") return items.slice(1);
  if (step.kind === "without") return items.filter((_, index) => index !== step.place);
  return items.filter((item) => item % step.modulo === 0);
}

describe("Row", () => {
  test.prop([fc.array(rowStep, { maxLength: 200 }), fc.nat({ max: 4 })])(
    "equals an array, and branches from old versions without touching others",
    (steps, wildness) => {
      const rows: Row<number>[] = [emptyRow()];
      const arrays: (readonly number[])[] = [[]];
      for (const step of steps) {
        const newest = rows.length - 1;
        const at = step.on % 5 < wildness ? step.on % rows.length : newest;
        rows.push(applyRow(rows[at] as Row<number>, step));
        arrays.push(applyArray(arrays[at] as readonly number[], step));
      }
      for (const [index, row] of rows.entries()) {
        const plain = arrays[index] as readonly number[];
        expect(row.toArray()).toEqual(plain);
        expect([...row]).toEqual(plain);
        expect(row.length).toBe(plain.length);
        expect(row.first()).toBe(plain[0]);
        expect(row.last()).toBe(plain.at(-1));
        expect(plain.map((_, at) => row.get(at))).toEqual(plain);
        expect([row.get(-1), row.get(plain.length)]).toEqual([undefined, undefined]);
      }
    },
  );

  it("finds the first place from which something holds, and none at all", () => {
    const row = Row.of([1, 3, 5, 7, 9]).without(2).without(2);
    expect([0, 4, 9, 10].map((least) => row.firstIndex((item) => item >= least))).toEqual([
      0, 2, 2, 3,
    ]);
  });

  it("copies what it is made of", () => {
    const items = [1, 2];
    const row = Row.of(items);
    items.push(3);
    items[0] = 9;
    expect(row.push(4).toArray()).toEqual([1, 2, 4]);
  });

  it("lets go of what was taken from its front", () => {
    let row = emptyRow<number>();
    for (let i = 0; i < 1_000; i++) row = row.push(i);
    for (let i = 0; i < 900; i++) row = row.rest();
    expect(row.toArray()).toEqual(Array.from({ length: 100 }, (_, i) => 900 + i));
    const { buffer } = row as unknown as { readonly buffer: readonly number[] };
    expect(buffer.length).toBeLessThan(300);
  });
});
