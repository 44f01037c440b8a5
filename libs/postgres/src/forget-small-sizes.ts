import { statement } from './statement.js';
import type { Queryable } from './transaction.js';

const forget = statement<{ count: number }>('database.forget-small-sizes', 'SELECT forget_small_sizes() AS count');

/** Has the planner forget how small the schema's small tables are, so that no plan is kept that is right for these alone. */
export async function forgetSmallSizes(database: Queryable): Promise<void> {
  await database.query(forget, []);
}
