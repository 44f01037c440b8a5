import { errorRegistry } from '@switchboard/contracts/error-registry';
import { topology } from '@switchboard/contracts/topology';
import { catalogueOf } from '../catalogue/catalogue.js';
import type { Sources } from '../sources.js';
import { asyncApi } from './asyncapi.js';
import { errorsPage } from './errors-page.js';
import { eventsPage } from './events-page.js';
import { formatted } from './formatted.js';
import { natsConf } from './nats-conf.js';
import { rolesSql } from './roles-sql.js';

/** A file that is made from the code and kept in the repository, so that readers and reviewers see it. */
export interface GeneratedFile {
  /** Below the root. */
  readonly path: string;
  /** The whole content, the same for the same code, formatted as Prettier would. */
  generate(sources: Sources): string | Promise<string>;
}

const EVENTS_PAGE = 'docs/events.md';
const ASYNCAPI = 'docs/asyncapi.json';

/** All of them. `node tools/check/dist/main.js --write` writes what the check `generated files` compares. */
export const generatedFiles: readonly GeneratedFile[] = [
  { path: 'docs/errors.md', generate: () => errorsPage([...errorRegistry.values()]) },
  {
    path: EVENTS_PAGE,
    generate: (sources) => formatted(sources, EVENTS_PAGE, eventsPage(catalogueOf(sources), topology, sources)),
  },
  {
    path: ASYNCAPI,
    generate: (sources) =>
      formatted(sources, ASYNCAPI, JSON.stringify(asyncApi(catalogueOf(sources), topology, sources), null, 2)),
  },
  { path: 'deploy/nats/nats.conf', generate: natsConf },
  { path: 'deploy/postgres/roles.sql', generate: () => rolesSql(Object.keys(topology)) },
];
