/** The two database roles of a service. */
export interface ServiceRoles {
  /** What the service's processes connect as: data only. */
  readonly runtime: string;
  /** What the migrations connect as: owns the schema. */
  readonly migrator: string;
}

/** The names of a service's roles: the same on every machine, so that grants and dashboards can name them. */
export function serviceRoles(service: string): ServiceRoles {
  return { runtime: `switchboard_${service}`, migrator: `switchboard_${service}_migrator` };
}

/**
 * SQL that gives a service its roles and its schema, to be run by an administrator on the service's database. May be run
 * again; passwords are set anew each time.
 *
 * @param spec.database name of the database that it is run on
 */
export function serviceRolesSql(spec: {
  readonly service: string;
  readonly database: string;
  readonly runtimePassword: string;
  readonly migratorPassword: string;
}): string {
  const { runtime, migrator } = serviceRoles(spec.service);
  const passwords = [
    [runtime, spec.runtimePassword],
    [migrator, spec.migratorPassword],
  ] as const;
  const roles = passwords.map(
    ([role, password]) => `
      DO $role$ BEGIN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${literal(role)}) THEN CREATE ROLE ${identifier(role)}; END IF;
      END $role$;
      ALTER ROLE ${identifier(role)} LOGIN PASSWORD ${literal(password)};
      GRANT CONNECT ON DATABASE ${identifier(spec.database)} TO ${identifier(role)};
      -- Needed by an administrator who is no superuser, to hand a schema over.
      GRANT ${identifier(role)} TO current_user;`,
  );
  return `
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    ${roles.join('')}
    CREATE SCHEMA IF NOT EXISTS ${identifier(spec.service)} AUTHORIZATION ${identifier(migrator)};
  `;
}

/** A name as SQL takes it, whatever it holds. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
