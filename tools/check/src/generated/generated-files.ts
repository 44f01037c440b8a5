import { errorRegistry } from '@switchboard/contracts/error-registry';
import { serviceNames, topology } from '@switchboard/contracts/topology';
import { apiDocuments } from '@switchboard/gateway/api-documents';
import { catalogueOf } from '../catalogue/catalogue.js';
import { viewSchemas } from '../catalogue/views.js';
import type { Sources } from '../sources.js';
import { asyncApi } from './asyncapi.js';
import { deploymentFiles } from './deployment-files.js';
import { errorsPage } from './errors-page.js';
import { eventsPage } from './events-page.js';
import { formatted } from './formatted.js';
import { natsConf } from './nats-conf.js';
import { rolesSql } from './roles-sql.js';
import { viewsModule } from './views-module.js';

/** A file that is made from the code and kept in the repository, so that readers and reviewers see it. */
export interface GeneratedFile {
  /** Below the root. */
  readonly path: string;
  /** The whole content, the same for the same code, formatted as Prettier would; what is written by hand as it is. */
  generate(sources: Sources): string | Promise<string>;
}

const EVENTS_PAGE = 'docs/events.md';
const ASYNCAPI = 'docs/asyncapi.json';
const VIEWS = 'apps/gateway/src/description/views.generated.ts';
const OPENAPI = 'docs/openapi.json';
const APP_OPENAPI = 'docs/app-openapi.json';

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
  { path: VIEWS, generate: (sources) => formatted(sources, VIEWS, viewsModule(viewSchemas(sources))) },
  {
    path: OPENAPI,
    // From the views of the present sources: those that the gateway was built with may be about to be written.
    generate: async (sources) => {
      const { publicApi } = await apiDocuments(viewSchemas(sources));
      return formatted(sources, OPENAPI, JSON.stringify(publicApi));
    },
  },
  {
    path: APP_OPENAPI,
    generate: async (sources) => {
      const { appApi } = await apiDocuments(viewSchemas(sources));
      return formatted(sources, APP_OPENAPI, JSON.stringify(appApi));
    },
  },
  { path: 'deploy/nats/nats.conf', generate: natsConf },
  { path: 'deploy/postgres/roles.sql', generate: () => rolesSql(serviceNames) },
  ...deploymentFiles,
];
