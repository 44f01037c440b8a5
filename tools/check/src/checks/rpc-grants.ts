import { topology, type ServiceTopology } from '@switchboard/contracts/topology';
import type { Check } from '../check.js';
import { isTest, typescriptFiles, type Sources } from '../sources.js';

/** The declaration of a request: its constant, its owner and its method. */
const DECLARATION = /\bexport const (\w+Rpc) = defineRpc(?:<[\s\S]{0,600}?>)?\(\s*'([^']+)',\s*'([^']+)'/g;
const IMPORT = /^import [^;]*;$/gm;
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
/** A type, the registration of the handler that answers, or a look at the definition: none of them calls. */
const NOT_A_CALL = /\b(?:typeof |RpcHandler\()\w+Rpc\b|\b\w+Rpc\./g;
const REQUEST = /\b\w+Rpc\b/g;

/**
 * The requests that a service may make, by its NATS permissions, are those that its sources make: one too few shows only
 * where the call is refused, and one too many is a right that an intruder has.
 */
export const rpcGrantsCheck: Check = {
  name: 'rpc grants',
  run: (sources) => judgeGrants(sources, topology),
};

/** The problems of these services in these sources. */
export function judgeGrants(
  sources: Sources,
  services: Readonly<Record<string, Pick<ServiceTopology, 'calls'>>>,
): readonly string[] {
  const files = typescriptFiles(sources).filter(({ path }) => !isTest(path));
  const subjects = new Map<string, string>();
  for (const { path, text } of files) {
    if (!path.startsWith('libs/contracts/')) continue;
    for (const [, name = '', owner, method] of text.matchAll(DECLARATION)) subjects.set(name, `rpc.${owner}.${method}`);
  }
  const calledBelow = (folder: string): ReadonlySet<string> =>
    new Set(
      files
        .filter(({ path }) => path.startsWith(folder))
        .flatMap(({ text }) => requestsIn(text))
        .flatMap((name) => subjects.get(name) ?? []),
    );
  const byLibrary = calledBelow('libs/platform/');
  return Object.entries(services).flatMap(([service, { calls }]) => {
    const granted = new Set(calls.map(({ subject }) => subject));
    const called = calledBelow(`apps/${service}/src/`);
    return [
      ...[...called]
        .filter((subject) => !granted.has(subject))
        .map((subject) => `${service} calls ${subject}, which the topology does not grant`),
      ...[...granted]
        .filter((subject) => !called.has(subject) && !byLibrary.has(subject))
        .map((subject) => `the topology grants ${subject} to ${service}, which does not call it`),
    ];
  });
}

/** The requests that a source makes or hands on to be made. */
function requestsIn(text: string): readonly string[] {
  return text.replace(COMMENT, '').replace(IMPORT, '').replace(NOT_A_CALL, '').match(REQUEST) ?? [];
}
