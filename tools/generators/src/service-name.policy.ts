/** One word: it is part of subjects, variables, roles and the names of classes, and each has another rule for dashes. */
const form = /^[a-z][a-z0-9]{2,23}$/;

/** Subjects, streams, users, schemas, and services of docker-compose.yml that exist already and are no packages. */
const reserved = new Set([
  'announce',
  'database',
  'incarnation',
  'incarnations',
  'nats',
  'postgres',
  'provision',
  'provisioner',
  'public',
  'rpc',
  'simulator',
  'supervisor',
  'wake',
]);
/** Key words that PostgreSQL wants in quotes where a schema is named. Source: PostgreSQL manual, appendix C, "reserved". */
const keyWords = new Set(
  (
    'all analyse analyze and any array asc asymmetric both case cast check collate column constraint create default deferrable desc ' +
    'distinct do else end except false fetch for foreign from grant group having in initially intersect into lateral leading limit ' +
    'localtime localtimestamp not null offset on only or order placing primary references returning select some symmetric table ' +
    'then to trailing true union unique user using variadic when where window with authorization binary collation concurrently ' +
    'cross freeze full ilike inner is isnull join left like natural notnull outer overlaps right similar tablesample verbose'
  ).split(' '),
);

/**
 * Why a service cannot have this name; undefined when it can.
 *
 * @param childrenOf lists a folder of the workspace: a package has the name of its folder
 */
export function problemOfName(name: string, childrenOf: (folder: string) => readonly string[]): string | undefined {
  const packages = ['apps', 'libs', 'tools'].flatMap(childrenOf);
  if (!form.test(name)) {
    return `"${name}" is no name of a service: 3 to 24 lower-case letters and digits, beginning with a letter.`;
  }
  if (packages.includes(name)) return `"${name}" is taken by a package of this workspace.`;
  if (reserved.has(name) || keyWords.has(name) || name.startsWith('pg')) return `"${name}" is reserved.`;
  return undefined;
}
