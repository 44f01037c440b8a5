const endOfTopology = '} as const satisfies Record<string, ServiceTopology>;';

/** The topology with the entry of a service that has a stream and no way to another service yet. */
export function registered(name: string, topology: string): string {
  const entry = `  ${name}: {\n    serves: [],\n    calls: [],\n    stream: '${name.toUpperCase()}',\n    consumes: [],\n  },\n`;
  return insertedBefore(endOfTopology, entry, topology, 'libs/contracts/src/topology.ts');
}

/** README.md with an entry of the service, before that of the simulator. */
export function listed(name: string, readme: string): string {
  const entry = `- [apps/${name}](apps/${name}/README.md): owns nothing yet.\n`;
  return insertedBefore('- [apps/upstream-simulator]', entry, readme, 'README.md');
}

/** The lock file with the package as a workspace: all that it depends on is locked already. */
export function locked(name: string, manifest: string, lockFile: string): string {
  const lock = JSON.parse(lockFile) as { packages: Record<string, unknown> };
  const { name: packageName, version, dependencies, devDependencies } = JSON.parse(manifest) as Manifest;
  const packages: Record<string, unknown> = {
    ...lock.packages,
    [`apps/${name}`]: {
      name: packageName,
      version,
      dependencies: sorted(dependencies),
      devDependencies: sorted(devDependencies),
    },
    [`node_modules/${packageName}`]: { resolved: `apps/${name}`, link: true },
  };
  return `${JSON.stringify({ ...lock, packages: sorted(packages) }, null, 2)}\n`;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** By name, as npm writes them. */
function sorted<Value>(values: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => a.localeCompare(b, 'en')));
}

function insertedBefore(anchor: string, text: string, file: string, path: string): string {
  const at = file.indexOf(anchor);
  if (at === -1) throw new Error(`${path} has no line that begins with ${anchor}`);
  return file.slice(0, at) + text + file.slice(at);
}
