export { askAgain } from './ask-again.js';
export { AppClient, type AppAnswer, type AppBody, type AppExchange, type Credentials } from './app-client.js';
export { runBuiltProgram, untilReady, type BuiltProgram, type LoggedLine } from './built-program.js';
export { deadlocksIn } from './deadlocks.js';
export { describeAdoption, type AdoptionSpec } from './describe-adoption.js';
export { describeMigrations, type MigrationsSpec } from './describe-migrations.js';
export { describePlans, type PlansSpec } from './describe-plans.js';
export { eventually } from './eventually.js';
export { FakeClock } from './fake-clock.js';
export { behindSnapshot, blocksOfLooks, MeasuredTables } from './old-snapshot.js';
export { lengthenDeadlines } from './lengthen-deadlines.js';
export { lockWaiters } from './lock-waiters.js';
export { itOnOneDay } from './on-one-day.js';
export {
  blocksOf,
  literal,
  nodesOf,
  planOf,
  preparedStatements,
  type PlanNode,
  type PreparedStatement,
} from './plans.js';
export { SeededRandom } from './seeded-random.js';
export { patience, type DatabaseOverrides, type Migrations, type ServiceDatabase } from './service-database.js';
export type { OwnTestNats, TestNats } from './test-nats.js';
export { testSeed } from './test-seed.js';
export { testServers, type TestServers } from './test-servers.js';
