import { topology, type ServiceTopology } from '@switchboard/contracts/topology';
import type { Check } from '../check.js';
import { textOf, type Sources } from '../sources.js';

/** What every service reads, and what only one does: keys of an object at the first level. */
const SHARED_CONFIG = 'libs/platform/src/config.ts';
const KEY = /^ {2}([A-Z][A-Z0-9_]*): /gm;
/** What an operator looks for in each README, under the same name. */
const FAILURES = 'When it fails';
const KEYS = 'Keys';

/**
 * The README of each service has the same two headings for an operator, names every key of its configuration under one of
 * them, and every filter of its consumers.
 */
export const serviceReadmesCheck: Check = {
  name: 'service readmes',
  run: (sources) => judgeReadmes(sources, topology),
};

/** The problems of the READMEs of these services. */
export function judgeReadmes(
  sources: Sources,
  services: Readonly<Record<string, Pick<ServiceTopology, 'consumes'>>>,
): readonly string[] {
  const shared = keysOf(textOf(sources, SHARED_CONFIG));
  return Object.entries(services).flatMap(([service, { consumes }]) => {
    const path = `apps/${service}/README.md`;
    const readme = textOf(sources, path);
    // That it is there is the business of another check.
    if (readme === undefined) return [];
    const sections = sectionsOf(readme);
    const keys = [...shared, ...keysOf(textOf(sources, `apps/${service}/src/${service}.config.ts`))];
    const filters = new Set(consumes.map(({ filter }) => filter));
    return [
      ...[FAILURES, KEYS]
        .filter((heading) => !sections.has(heading))
        .map((one) => `${path} has no heading "## ${one}"`),
      ...keys
        .filter((key) => !(sections.get(KEYS) ?? '').includes(`\`${key}\``))
        .map((key) => `${path} does not name ${key} under "## ${KEYS}"`),
      ...[...filters]
        .filter((filter) => !readme.includes(`\`${filter}\``))
        .map((filter) => `${path} does not name ${filter}, which the service consumes`),
    ];
  });
}

function keysOf(config: string | undefined): readonly string[] {
  return [...(config ?? '').matchAll(KEY)].map(([, key = '']) => key);
}

/** The text below each heading of the second level. */
function sectionsOf(readme: string): ReadonlyMap<string, string> {
  const [, ...sections] = readme.split(/^## /m);
  return new Map(
    sections.map((section) => {
      const end = section.indexOf('\n');
      return [section.slice(0, end), section.slice(end)];
    }),
  );
}
