import type { Database } from '@switchboard/postgres';

/** A node of a plan as the server explains it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Sort Key'?: readonly string[];
  /** With ANALYZE alone; 0: it was never begun. */
  readonly 'Actual Loops'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** A statement that a connection has prepared. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
  readonly parameters: number;
}

/** What a database of one connection has prepared so far: statements as production prepares and plans them. */
export async function preparedStatements(database: Database): Promise<PreparedStatement[]> {
  return database.dataSource.query(
    `SELECT name, statement AS text, cardinality(parameter_types) AS parameters FROM pg_prepared_statements`,
  );
}

/**
 * The plan that the connection holds for a prepared statement.
 *
 * @param values literals, see `literal`; null for each when none are given: enough to see a generic plan
 * @param analyze runs it
 */
export async function planOf(
  database: Database,
  { name, parameters }: PreparedStatement,
  options: { readonly values?: readonly string[]; readonly analyze?: boolean } = {},
): Promise<PlanNode> {
  const values = options.values ?? Array.from({ length: parameters }, () => 'NULL');
  const how = options.analyze === true ? 'ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON' : 'FORMAT JSON';
  const call = `"${name}"${values.length > 0 ? `(${values.join(', ')})` : ''}`;
  const [row] = await database.dataSource.query(`EXPLAIN (${how}) EXECUTE ${call}`);
  return row['QUERY PLAN'][0].Plan;
}

/** A value as SQL writes it, an array as a literal of one. */
export function literal(value: unknown): string {
  if (value === null) return 'NULL';
  const text = Array.isArray(value) ? `{${value.map((one) => JSON.stringify(one)).join(',')}}` : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}

/** All nodes of a plan that were begun, or that would be. */
export function nodesOf(plan: PlanNode): PlanNode[] {
  if (plan['Actual Loops'] === 0) return [];
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** Pages of tables and indexes that an analyzed plan has touched. */
export function blocksOf(plan: PlanNode): number {
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
}
