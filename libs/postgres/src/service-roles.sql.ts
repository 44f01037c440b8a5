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
 * SQL that takes from everybody what PostgreSQL gives to everybody on a database, to be run once by an administrator of
 * it, on it: connecting, temporary tables (which come before a schema's own in every search path), the schema `public`,
 * and making large objects, which belong to no schema. May be run again.
 *
 * Source: PostgreSQL manual, "Privileges", default privileges of PUBLIC.
 */
export function databaseRightsSql(database: string): string {
  return `
    REVOKE ALL ON DATABASE ${identifier(database)} FROM PUBLIC;
    REVOKE ALL ON SCHEMA public FROM PUBLIC;
    REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC;
  `;
}

/**
 * SQL that gives a service its roles and its schema, to be run by an administrator on the service's database. May be run
 * again; passwords are set anew each time. What the runtime role may do with the tables, `migrate` grants.
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
      GRANT ${identifier(role)} TO current_user;
      -- The text of an error may quote a value. The service logs its SQLSTATE; only a superuser may silence the server.
      DO $role$ BEGIN
        IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
          ALTER ROLE ${identifier(role)} SET log_min_messages = 'log';
        END IF;
      END $role$;`,
  );
  return `
    ${roles.join('')}
    CREATE SCHEMA IF NOT EXISTS ${identifier(spec.service)} AUTHORIZATION ${identifier(migrator)};
    -- Everybody may call a new function and use a new type otherwise.
    ALTER DEFAULT PRIVILEGES FOR ROLE ${identifier(migrator)} REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
    ALTER DEFAULT PRIVILEGES FOR ROLE ${identifier(migrator)} REVOKE USAGE ON TYPES FROM PUBLIC;
  `;
}

/** A name as SQL takes it, whatever it holds. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
