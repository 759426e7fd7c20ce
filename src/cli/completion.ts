/**
 * What shells are told to complete, made from the program's own commands; and what a prefix of a command stands for.
 */
import { Argument, type Command, InvalidArgumentError } from "commander";
import type { Io } from "./io.js";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** Adds `completion`. */
export function addCompletion(program: Command, io: Io): void {
  program
    .command("completion")
    .summary("a script that completes commands, options and files in a shell")
    .description(
      "a script that completes commands, options and files in a shell: source <(dovecote completion bash)",
    )
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .action((shell: (typeof SHELLS)[number]) => io.out(scripts[shell](program)));
}

const namesOf = (program: Command): readonly string[] =>
  program.commands.map((command) => command.name());
const optionsOf = (command: Command): string =>
  [...command.options.flatMap(({ long }) => long ?? []), "--help"].join(" ");
const quoted = (text: string): string => text.replaceAll("'", "'\\''");

const scripts: Record<(typeof SHELLS)[number], (program: Command) => string> = {
  bash: (program) =>
    [
      "_dovecote() {",
      '  local word="${COMP_WORDS[COMP_CWORD]}" words=""',
      "  COMPREPLY=()",
      "  if [ $COMP_CWORD -eq 1 ]; then",
      `    words='${namesOf(program).join(" ")}'`,
      '  elif [ "${word:0:1}" = "-" ]; then',
      '    case "${COMP_WORDS[1]}" in',
      ...program.commands.map((one) => `      ${one.name()}) words='${optionsOf(one)}' ;;`),
      "    esac",
      "  fi",
      '  [ -n "$words" ] && COMPREPLY=($(compgen -W "$words" -- "$word"))',
      "}",
      "complete -o default -F _dovecote dovecote",
    ].join("\n"),
  zsh: (program) =>
    [
      "#compdef dovecote",
      "_dovecote() {",
      "  local -a commands=(",
      ...program.commands.map(
        (one) => `    '${quoted(`${one.name()}:${one.summary().replaceAll(":", "\\:")}`)}'`,
      ),
      "  )",
      "  if (( CURRENT == 2 )); then _describe command commands; return; fi",
      '  case "$words[2]" in',
      ...program.commands.map(
        (one) => `    ${one.name()}) [[ $PREFIX = -* ]] && compadd -- ${optionsOf(one)} ;;`,
      ),
      "  esac",
      "  _files",
      "}",
      "compdef _dovecote dovecote",
    ].join("\n"),
  fish: (program) =>
    program.commands
      .flatMap((one) => [
        `complete -c dovecote -n __fish_use_subcommand -f -a ${one.name()} -d '${quoted(one.summary())}'`,
        ...one.options.flatMap(({ long, description }) =>
          long == null
            ? []
            : `complete -c dovecote -n '__fish_seen_subcommand_from ${one.name()}' -l ${long.slice(2)} -d '${quoted(description)}'`,
        ),
      ])
      .join("\n"),
};

/**
 * The arguments with a prefix of one command written out; as they are where it is one's name, nobody's, or an option.
 *
 * @throws InvalidArgumentError when the prefix fits several
 */
export function writtenOut(program: Command, args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  if (first === undefined || first === "" || first.startsWith("-")) return args;
  const names = [...namesOf(program), "help"];
  if (names.includes(first)) return args;
  const found = names.filter((name) => name.startsWith(first));
  if (found.length > 1) {
    throw new InvalidArgumentError(`${first} may be ${found.join(", ")}. Write more of it.`);
  }
  return [found[0] ?? first, ...rest];
}
