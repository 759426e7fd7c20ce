/**
 * Who may import whom. Imports point one way:
 *
 *   cli -> inspector, tools, fuzz, replay, testing -> runtime -> actors -> projections, log -> kernel -> events -> paths, errors
 *
 * Each layer below lists what it may import besides itself; whatever is not listed is refused, and so is a place
 * that no layer names. `npm run imports` checks it.
 */
const core = ["kernel", "events", "paths", "errors"];
const shell = ["runtime", "actors", "projections", "log", ...core];
const readers = ["tools", "fuzz", "replay", "testing", "inspector"];

const layers = {
  errors: [],
  paths: ["errors"],
  events: ["paths", "errors"],
  kernel: ["events", "paths", "errors"],
  log: core,
  projections: core,
  actors: ["projections", "log", ...core],
  runtime: ["actors", "projections", "log", ...core],
  replay: [...readers, ...shell],
  fuzz: [...readers, ...shell],
  testing: [...readers, ...shell],
  tools: [...readers, ...shell],
  inspector: [...readers, ...shell],
  cli: [...readers, ...shell],
  index: ["tools", "fuzz", "replay", ...shell],
};

/** A layer is a folder of `src` or a single file in it. */
const place = (names) => `^src/(${names.join("|")})(/|\\.ts$)`;

/** Packages that one place alone may import. */
const confined = [
  { name: "xstate", packages: ["xstate"], only: "^src/actors/" },
  { name: "xstate-store", packages: ["@xstate/store"], only: "^src/projections/" },
  { name: "rxjs", packages: ["rxjs"], only: "^src/(runtime|projections)/" },
  {
    name: "level",
    packages: ["level", "classic-level", "abstract-level"],
    only: "^src/log/levelLog\\.ts$",
  },
  { name: "fast-check", packages: ["fast-check"], only: "^src/(fuzz|testing)/" },
  { name: "nats", packages: ["nats", "@nats-io/[^/]+"], only: "^src/log/jetStreamLog\\.ts$" },
];

/** Resolved packages lie below node_modules; an unresolved one keeps its bare name. */
const packagePath = (names) => `(^|node_modules/)(${names.join("|")})(/|$)`;

const layerRules = Object.entries(layers).map(([layer, allowed]) => ({
  name: `layer-${layer}`,
  comment: `src/${layer} may import ${allowed.length === 0 ? "no other layer" : allowed.join(", ")}.`,
  severity: "error",
  from: { path: place([layer]) },
  to: { path: "^src/", pathNot: place([layer, ...allowed]) },
}));

const confinedRules = confined.map(({ name, packages, only }) => ({
  name: `only-there-${name}`,
  comment: `${packages.join(", ")} may be imported only from ${only}.`,
  severity: "error",
  from: { path: "^src/", pathNot: only },
  to: { path: packagePath(packages), pathNot: "^src/" },
}));

export default {
  forbidden: [
    ...layerRules,
    ...confinedRules,
    {
      name: "known-layers",
      comment: "A new place below src needs a layer in this file first.",
      severity: "error",
      from: { path: "^src/", pathNot: place(Object.keys(layers)) },
      to: {},
    },
    {
      name: "core-stands-alone",
      comment:
        "The rules and the events import no package and no Node built-in: what they need is handed in.",
      severity: "error",
      from: { path: place(["kernel", "events", "paths", "errors"]) },
      to: { pathNot: "^src/" },
    },
    {
      name: "sources-stay-inside",
      comment: "The sources import neither tests, examples, benchmarks nor the built package.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|property-tests|examples|bench|scripts|docs|dist)/" },
    },
    {
      name: "declared-packages",
      comment:
        "A package that the sources import is a dependency or a peer, declared in package.json.",
      severity: "error",
      from: { path: "^src/" },
      to: {
        dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown", "undetermined"],
        dependencyTypesNot: ["npm", "npm-peer", "npm-optional"],
      },
    },
    {
      name: "resolvable",
      comment: "Every import leads to a file.",
      severity: "error",
      from: { path: "^src/" },
      to: { couldNotResolve: true },
    },
    {
      name: "no-cycles",
      comment: "No import leads back to where it began, type-only imports included.",
      severity: "error",
      from: { path: "^src/" },
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // Type-only imports vanish in the build, and count here.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["types", "import", "node", "default"],
    },
  },
};
