/** A stranger's first program: it knows the installed package and nothing else. */
import assert from "node:assert/strict";

import * as dovecote from "dovecote";

const names = Object.keys(dovecote);
assert.notEqual(names.length, 0, "the package exports nothing");
console.log(`dovecote exports ${names.join(", ")}`);
