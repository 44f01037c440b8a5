/** One word: it is part of subjects, variables, roles and the names of classes, and each has another rule for dashes. */
const form = /^[a-z][a-z0-9]{2,23}$/;

/** Subjects, users, schemas, and services of docker-compose.yml that exist already and are no packages. */
const reserved = new Set(['announce', 'database', 'nats', 'postgres', 'provision', 'provisioner', 'public', 'rpc']);

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
  if (reserved.has(name) || name.startsWith('pg')) return `"${name}" is reserved.`;
  return undefined;
}
