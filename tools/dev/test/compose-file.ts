import { parse } from 'yaml';

/** A service of docker-compose.yml, as far as tests look at it. */
export interface ComposeService {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  /** Null: handed on from `.env` when it is there. */
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[]; readonly start_period: string };
  readonly labels?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly profiles?: readonly string[];
  readonly read_only?: boolean;
  readonly restart?: string;
  readonly stop_grace_period?: string;
  readonly deploy?: { readonly resources: { readonly limits: { readonly cpus: string; readonly memory: string } } };
}

/** docker-compose.yml with its anchors resolved and its variables left as they are. */
export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
}

/** What the references to a variable say besides its name: `${NAME}`, `${NAME:-default}`, `${NAME:?message}`. */
export interface ComposeVariable {
  /** By each of them: one that has a default would do without. */
  readonly isRequired: boolean;
  readonly default: string | undefined;
}

const reference = /\$\{([A-Z][A-Z0-9_]*)(?::([-?])([^}]*))?\}/g;

/** Parses the file. Merge keys are YAML 1.1, which Compose still reads. */
export function readCompose(text: string): ComposeFile {
  // The file is ours: what is wrong in its shape shows in the tests that look for it.
  return parse(text, { merge: true }) as ComposeFile;
}

/** The environment that a container gets with these variables in `.env`. @throws Error when a required one is missing */
export function environmentOf(
  service: ComposeService,
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [key, value] of Object.entries(service.environment ?? {})) {
    const resolved = value === null ? variables[key] : interpolate(value, variables);
    if (resolved !== undefined) environment[key] = resolved;
  }
  return environment;
}

/** What the image's Node runs: the command, or the file that an entry point of its own names. */
export function programOf({ entrypoint, command = [] }: ComposeService): readonly string[] {
  return entrypoint?.filter((word) => word.endsWith('.js')) ?? command;
}

/** @throws Error when there is no such service */
export function serviceIn({ services }: ComposeFile, name: string): ComposeService {
  const found = services[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no ${name}`);
  return found;
}

/** Every variable that stands anywhere below, by name; keys without a value count as optional ones. */
export function variablesOf(part: ComposeFile | ComposeService): Map<string, ComposeVariable> {
  const found = new Map<string, ComposeVariable>();
  const services = 'services' in part ? Object.values(part.services) : [part];
  for (const [key, value] of services.flatMap(({ environment }) => Object.entries(environment ?? {}))) {
    if (value === null) found.set(key, { isRequired: false, default: undefined });
  }
  for (const [, name = '', operator, argument] of JSON.stringify(part).matchAll(reference)) {
    const before = found.get(name);
    found.set(name, {
      isRequired: operator === '?' && before?.isRequired !== false,
      default: operator === '-' ? argument : before?.default,
    });
  }
  return found;
}

function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(reference, (_whole, name: string, operator?: string, argument?: string) => {
    const value = variables[name];
    if (value !== undefined && value !== '') return value;
    if (operator === '-') return argument ?? '';
    throw new Error(`${name}: ${argument ?? 'is not set'}`);
  });
}
