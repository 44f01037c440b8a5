import { topology } from '@switchboard/contracts/topology';
import { natsUsers } from '@switchboard/nats';
import { textOf, type Sources } from '../sources.js';
import { composeParts, databasePasswords, natsPassword, scrapeJobs, servicesGone } from './compose-parts.js';
import { withParts } from './generated-part.js';
import { natsConf } from './nats-conf.js';

const names = Object.keys(topology);
const users = natsUsers().map(({ user }) => user);

/** The files of a deployment that are written by hand but for what follows from the registration of the services. */
export const deploymentFiles = [
  partly('docker-compose.yml', composeParts(topology, { users, natsConf: natsConf() })),
  partly('deploy/prometheus/prometheus.yml', { jobs: scrapeJobs(topology) }),
  partly('deploy/prometheus/alerts.yml', { 'services-gone': servicesGone(topology) }),
  partly('.env.example', {
    'database-passwords': names.flatMap(databasePasswords).map((key) => `# ${key}=`),
    'nats-passwords': users.map((user) => `# ${natsPassword(user)}=`),
  }),
  partly('deploy/docker/Dockerfile', { packages: installedPackages(names) }),
];

/** The step of the image that installs what its programs need at run time. */
function installedPackages(services: readonly string[]): string[] {
  const programs = [...services.map((name) => `apps/${name}`), 'apps/upstream-simulator', 'tools/admin', 'tools/seed'];
  const workspaces = programs.map((folder) => `  --workspace ${folder}`);
  return ['RUN npm install --no-save --ignore-scripts --omit=dev --omit=optional', ...workspaces].map((line, index) =>
    index < workspaces.length ? `${line} \\` : line,
  );
}

function partly(path: string, parts: Readonly<Record<string, readonly string[]>>) {
  return { path, generate: (sources: Sources) => withParts(path, textOf(sources, path) ?? '', parts) };
}
