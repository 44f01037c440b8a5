import { errorRegistry } from '@switchboard/contracts/error-registry';
import { topology } from '@switchboard/contracts/topology';
import type { Sources } from '../sources.js';
import { errorsPage } from './errors-page.js';
import { natsConf } from './nats-conf.js';
import { rolesSql } from './roles-sql.js';

/** A file that is made from the code and kept in the repository, so that readers and reviewers see it. */
export interface GeneratedFile {
  /** Below the root. */
  readonly path: string;
  /** The whole content, the same for the same code, formatted as Prettier would. */
  generate(sources: Sources): string | Promise<string>;
}

/** All of them. `node tools/check/dist/main.js --write` writes what the check `generated files` compares. */
export const generatedFiles: readonly GeneratedFile[] = [
  { path: 'docs/errors.md', generate: () => errorsPage([...errorRegistry.values()]) },
  { path: 'deploy/nats/nats.conf', generate: natsConf },
  { path: 'deploy/postgres/roles.sql', generate: () => rolesSql(Object.keys(topology)) },
];
