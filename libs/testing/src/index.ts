export { collectSpans, type SpanCollector } from './collect-spans.js';
export { describeCoalesceLaw, type CoalesceLawSpec, type CoalesceSubject } from './describe-coalesce-law.js';
export { eventually } from './eventually.js';
export { FakeClock } from './fake-clock.js';
export { goldenFile } from './golden-file.js';
export { blocksOf, nodesOf, planOf, preparedStatements, type PlanNode, type PreparedStatement } from './plans.js';
export type { DatabaseOverrides, Migrations, ServiceDatabase } from './service-database.js';
export type { TestNats } from './test-nats.js';
export { testServers, type TestServers } from './test-servers.js';
