/**
 * A tool as any framework can take it: a name, a description, a schema and a function. The schema is plain JSON Schema,
 * and a Standard Schema beside it. Knows nothing of a framework, and nothing of what its tools do.
 */
import { Refused } from "../errors.js";

/** What a field of a tool's input is. All are texts. */
export interface Field {
  readonly description: string;
  readonly optional?: true;
}

/** The input of a tool, once it has been looked at. */
export type Input<Name extends string = string> = Readonly<Record<Name, string>>;

/** A tool's input as JSON Schema. */
export interface InputSchema {
  readonly type: "object";
  readonly properties: Readonly<
    Record<string, { readonly type: "string"; readonly description: string }>
  >;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

/** What looking at an input gives, as the Standard Schema interface has it. */
export type Validated =
  | { readonly value: Input }
  | { readonly issues: readonly { readonly message: string }[] };

/** A tool for a model. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  /** The same as a Standard Schema. */
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "dovecote";
    readonly validate: (value: unknown) => Validated;
  };
  /** Does it. Answers the text for the model; a refusal is a text too, with its rule (X4). */
  execute(input: unknown): Promise<string>;
}

/** Makes a tool of its parts. */
export function tool(
  name: string,
  description: string,
  fields: Readonly<Record<string, Field>>,
  run: (input: Partial<Input>) => Promise<string>,
): Tool {
  const validate = (value: unknown): Validated => validated(fields, value);
  return {
    name,
    description,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(
        Object.entries(fields).map(([key, { description: text }]) => [
          key,
          { type: "string", description: text } as const,
        ]),
      ),
      required: Object.keys(fields).filter((key) => fields[key]?.optional !== true),
      additionalProperties: false,
    },
    "~standard": { version: 1, vendor: "dovecote", validate },
    async execute(input) {
      const seen = validate(input);
      if ("issues" in seen)
        return `Refused (X4): ${seen.issues.map(({ message }) => message).join(" ")}`;
      try {
        return await run(seen.value);
      } catch (error) {
        if (error instanceof Refused) return `Refused (${error.rule}): ${error.message}`;
        throw error;
      }
    },
  };
}

function validated(fields: Readonly<Record<string, Field>>, value: unknown): Validated {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { issues: [{ message: "The input is no object." }] };
  }
  const given = value as Readonly<Record<string, unknown>>;
  const issues: { message: string }[] = [];
  const seen: Record<string, string> = {};
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(fields, key))
      issues.push({ message: `There is no field ${JSON.stringify(key)}.` });
  }
  for (const [key, field] of Object.entries(fields)) {
    const one = given[key];
    if (typeof one === "string") seen[key] = one;
    else if (one !== undefined || field.optional !== true) {
      issues.push({ message: `\`${key}\` is a text and was not given as one.` });
    }
  }
  return issues.length > 0 ? { issues } : { value: seen };
}
