import { serviceRoles } from '@switchboard/postgres';

/** Privileges that PostgreSQL knows, by kind of object. Source: PostgreSQL manual, "Privileges". */
export const privilegesOf = {
  database: ['CONNECT', 'CREATE', 'TEMPORARY'],
  schema: ['CREATE', 'USAGE'],
  table: ['DELETE', 'INSERT', 'MAINTAIN', 'REFERENCES', 'SELECT', 'TRIGGER', 'TRUNCATE', 'UPDATE'],
  sequence: ['SELECT', 'UPDATE', 'USAGE'],
  function: ['EXECUTE'],
} as const;

/** Something that privileges are held on. */
export interface DatabaseObject {
  readonly kind: keyof typeof privilegesOf;
  /** Null for the database itself. */
  readonly schema: string | null;
  readonly name: string;
  readonly isPartition: boolean;
}

/** What a service's own role may do in its schema. Whatever is not named here it may not. */
const promised: Readonly<Record<DatabaseObject['kind'], readonly string[]>> = {
  database: ['CONNECT'],
  schema: ['USAGE'],
  table: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
  sequence: ['SELECT', 'USAGE'],
  function: ['EXECUTE'],
};

/** Where a service's own role may do less: `<schema>.<name>`, for those of every service without the schema. */
const lesser: Readonly<Record<string, readonly string[]>> = {
  migration: [],
  migration_id_seq: [],
  // What was written stays as it was written, and the end of the chain where the database put it.
  'gateway.audit_entry': ['INSERT', 'SELECT'],
  'gateway.audit_floor': ['SELECT'],
  'messaging.message_floor': ['SELECT'],
  'gateway.audit_head': ['SELECT'],
};

/** What a role of the platform may do with an object; in alphabetical order. */
export function promisedTo(
  role: string,
  service: string,
  { kind, schema, name, isPartition }: DatabaseObject,
): string[] {
  if (kind === 'database') return [...promised.database];
  if (schema !== service) return [];
  if (role === serviceRoles(service).migrator) return [...privilegesOf[kind]];
  if (isPartition) return [];
  return [...(lesser[`${schema}.${name}`] ?? lesser[name] ?? promised[kind])];
}

/**
 * Every object outside of PostgreSQL's own schemas, with every privilege on it that `$1` holds by itself, by membership
 * or as everybody. Columns count: a right to one of them is a right to the table.
 */
export const heldPrivileges = `
  SELECT kind, schema, name, "isPartition", array_agg(privilege ORDER BY privilege) FILTER (WHERE held) AS held
  FROM (
    SELECT 'database' AS kind, NULL::text AS schema, datname::text AS name, false AS "isPartition", privilege,
      has_database_privilege($1, oid, privilege) AS held
    FROM pg_database, unnest('{${privilegesOf.database.join()}}'::text[]) AS privilege WHERE datname = current_database()
    UNION ALL
    SELECT 'schema', nspname, nspname, false, privilege, has_schema_privilege($1, oid, privilege)
    FROM own_schema, unnest('{${privilegesOf.schema.join()}}'::text[]) AS privilege
    UNION ALL
    SELECT 'table', nspname, relname, relispartition, privilege, has_table_privilege($1, c.oid, privilege)
      OR privilege IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') AND has_any_column_privilege($1, c.oid, CASE
        WHEN privilege IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') THEN privilege ELSE 'SELECT' END)
    FROM pg_class c JOIN own_schema n ON n.oid = relnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f'),
      unnest('{${privilegesOf.table.join()}}'::text[]) AS privilege
    UNION ALL
    SELECT 'sequence', nspname, relname, false, privilege, has_sequence_privilege($1, c.oid, privilege)
    FROM pg_class c JOIN own_schema n ON n.oid = relnamespace AND relkind = 'S',
      unnest('{${privilegesOf.sequence.join()}}'::text[]) AS privilege
    UNION ALL
    SELECT 'function', nspname, proname, false, 'EXECUTE', has_function_privilege($1, p.oid, 'EXECUTE')
    FROM pg_proc p JOIN own_schema n ON n.oid = pronamespace
  ) AS looked GROUP BY kind, schema, name, "isPartition" ORDER BY kind, schema, name`.replaceAll(
  'own_schema',
  `(SELECT * FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$)')`,
);
