/** JSON pointers into results (RFC 6901). */
import { describe, expect, it } from "vitest";
import { pointInto } from "../../src/cli/pointer.js";

describe("a JSON pointer", () => {
  const text = '{"a":[1,{"b/c":2,"~":3}],"":4,"n":null}';

  it.each([
    ["", JSON.parse(text) as unknown],
    ["/a/0", 1],
    ["/a/1/b~1c", 2],
    ["/a/1/~0", 3],
    ["/", 4],
    ["/n", null],
  ])("names what RFC 6901 says: %j", (pointer, value) => {
    expect(pointInto(text, pointer)).toEqual(value);
  });

  it.each(["a", "/a/2", "/a/length", "/__proto__", "/n/x"])(
    "that names nothing is refused: %j",
    (pointer) => {
      expect(() => pointInto(text, pointer)).toThrow(
        /There is nothing at|A JSON pointer is empty/u,
      );
    },
  );

  it("into what is no JSON is refused, with a way out", () => {
    expect(() => pointInto("plain words", "/a")).toThrow("Leave it out.");
  });
});
