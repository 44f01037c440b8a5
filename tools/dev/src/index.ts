/** Everything that `npm start` runs, for end-to-end tests. */
export type { DevJson, DevProcess, SeededOrganization } from './dev-json.js';
export type { EnvironmentOf } from './start-spec.js';
export type { StackProcess } from './stack.js';
export { prepareData, type RunningStack, type StackOptions, startStack } from './start-stack.js';
export { baseEnvironment } from './dev.config.js';
export { sim } from './sim.command.js';
