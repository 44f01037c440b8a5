import { databaseRightsSql, serviceRolesSql } from '@switchboard/postgres/service-roles';

/**
 * `deploy/postgres/roles.sql`: a script for psql that closes the database `switchboard` to everybody and gives each service
 * its schema and its two roles on it. Passwords come from the environment, `<SERVICE>_DATABASE_PASSWORD` and `<SERVICE>_MIGRATOR_PASSWORD`.
 *
 * @param services that own a schema
 */
export function rolesSql(services: readonly string[]): string {
  return [
    '-- Generated from serviceRolesSql of libs/postgres: npm run check -- --write',
    '-- For psql 14 or newer, as an administrator, on the database "switchboard"; may be run again. \\getenv keeps the',
    '-- passwords out of the command line; one that is missing is a syntax error below.',
    '',
    ...dedent(databaseRightsSql('switchboard')),
    ...services.flatMap((service) => ['', ...rolesOf(service)]),
    '',
  ].join('\n');
}

function rolesOf(service: string): string[] {
  const runtime = `${service}_password`;
  const migrator = `${service}_migrator_password`;
  const sql = serviceRolesSql({
    service,
    database: 'switchboard',
    runtimePassword: placeholder(runtime),
    migratorPassword: placeholder(migrator),
  });
  return [
    `\\getenv ${runtime} ${service.toUpperCase()}_DATABASE_PASSWORD`,
    `\\getenv ${migrator} ${service.toUpperCase()}_MIGRATOR_PASSWORD`,
    ...dedent(sql).map((line) => withVariables(line, [runtime, migrator])),
  ];
}

function placeholder(variable: string): string {
  return `<${variable}>`;
}

/** psql puts in a variable only outside of quotes, and then quotes it itself. */
function withVariables(line: string, variables: readonly string[]): string {
  return variables.reduce((text, variable) => text.replaceAll(`'${placeholder(variable)}'`, `:'${variable}'`), line);
}

/** The lines that hold something, two levels to the left. */
function dedent(sql: string): string[] {
  const lines = sql.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => line.replace(/^ {1,6}/, ''));
}
