/** Runs a migration's statements: what migrations that services have alike use of TypeORM's `QueryRunner`. */
export interface StatementRunner {
  query(sql: string): Promise<unknown>;
}
