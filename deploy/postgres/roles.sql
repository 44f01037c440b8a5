-- Generated from serviceRolesSql of libs/postgres: npm run check -- --write
-- For psql 14 or newer, as an administrator, on the database "switchboard"; may be run again. \getenv keeps the
-- passwords out of the command line; one that is missing is a syntax error below.

REVOKE ALL ON DATABASE "switchboard" FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC;

\getenv gateway_password GATEWAY_DATABASE_PASSWORD
\getenv gateway_migrator_password GATEWAY_MIGRATOR_PASSWORD
DO $role$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'switchboard_gateway') THEN CREATE ROLE "switchboard_gateway"; END IF;
END $role$;
ALTER ROLE "switchboard_gateway" LOGIN PASSWORD :'gateway_password';
GRANT CONNECT ON DATABASE "switchboard" TO "switchboard_gateway";
-- Needed by an administrator who is no superuser, to hand a schema over.
GRANT "switchboard_gateway" TO current_user;
-- The text of an error may quote a value. The service logs its SQLSTATE; only a superuser may silence the server.
DO $role$ BEGIN
  IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    ALTER ROLE "switchboard_gateway" SET log_min_messages = 'log';
  END IF;
END $role$;
DO $role$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'switchboard_gateway_migrator') THEN CREATE ROLE "switchboard_gateway_migrator"; END IF;
END $role$;
ALTER ROLE "switchboard_gateway_migrator" LOGIN PASSWORD :'gateway_migrator_password';
GRANT CONNECT ON DATABASE "switchboard" TO "switchboard_gateway_migrator";
-- Needed by an administrator who is no superuser, to hand a schema over.
GRANT "switchboard_gateway_migrator" TO current_user;
-- The text of an error may quote a value. The service logs its SQLSTATE; only a superuser may silence the server.
DO $role$ BEGIN
  IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    ALTER ROLE "switchboard_gateway_migrator" SET log_min_messages = 'log';
  END IF;
END $role$;
CREATE SCHEMA IF NOT EXISTS "gateway" AUTHORIZATION "switchboard_gateway_migrator";
-- Everybody may call a new function and use a new type otherwise.
ALTER DEFAULT PRIVILEGES FOR ROLE "switchboard_gateway_migrator" REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE "switchboard_gateway_migrator" REVOKE USAGE ON TYPES FROM PUBLIC;

\getenv messaging_password MESSAGING_DATABASE_PASSWORD
\getenv messaging_migrator_password MESSAGING_MIGRATOR_PASSWORD
DO $role$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'switchboard_messaging') THEN CREATE ROLE "switchboard_messaging"; END IF;
END $role$;
ALTER ROLE "switchboard_messaging" LOGIN PASSWORD :'messaging_password';
GRANT CONNECT ON DATABASE "switchboard" TO "switchboard_messaging";
-- Needed by an administrator who is no superuser, to hand a schema over.
GRANT "switchboard_messaging" TO current_user;
-- The text of an error may quote a value. The service logs its SQLSTATE; only a superuser may silence the server.
DO $role$ BEGIN
  IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    ALTER ROLE "switchboard_messaging" SET log_min_messages = 'log';
  END IF;
END $role$;
DO $role$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'switchboard_messaging_migrator') THEN CREATE ROLE "switchboard_messaging_migrator"; END IF;
END $role$;
ALTER ROLE "switchboard_messaging_migrator" LOGIN PASSWORD :'messaging_migrator_password';
GRANT CONNECT ON DATABASE "switchboard" TO "switchboard_messaging_migrator";
-- Needed by an administrator who is no superuser, to hand a schema over.
GRANT "switchboard_messaging_migrator" TO current_user;
-- The text of an error may quote a value. The service logs its SQLSTATE; only a superuser may silence the server.
DO $role$ BEGIN
  IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    ALTER ROLE "switchboard_messaging_migrator" SET log_min_messages = 'log';
  END IF;
END $role$;
CREATE SCHEMA IF NOT EXISTS "messaging" AUTHORIZATION "switchboard_messaging_migrator";
-- Everybody may call a new function and use a new type otherwise.
ALTER DEFAULT PRIVILEGES FOR ROLE "switchboard_messaging_migrator" REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE "switchboard_messaging_migrator" REVOKE USAGE ON TYPES FROM PUBLIC;

\getenv contacts_password CONTACTS_DATABASE_PASSWORD
\getenv contacts_migrator_password CONTACTS_MIGRATOR_PASSWORD
DO $role$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'switchboard_contacts') THEN CREATE ROLE "switchboard_contacts"; END IF;
END $role$;
ALTER ROLE "switchboard_contacts" LOGIN PASSWORD :'contacts_password';
GRANT CONNECT ON DATABASE "switchboard" TO "switchboard_contacts";
-- Needed by an administrator who is no superuser, to hand a schema over.
GRANT "switchboard_contacts" TO current_user;
-- The text of an error may quote a value. The service logs its SQLSTATE; only a superuser may silence the server.
DO $role$ BEGIN
  IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    ALTER ROLE "switchboard_contacts" SET log_min_messages = 'log';
  END IF;
END $role$;
DO $role$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'switchboard_contacts_migrator') THEN CREATE ROLE "switchboard_contacts_migrator"; END IF;
END $role$;
ALTER ROLE "switchboard_contacts_migrator" LOGIN PASSWORD :'contacts_migrator_password';
GRANT CONNECT ON DATABASE "switchboard" TO "switchboard_contacts_migrator";
-- Needed by an administrator who is no superuser, to hand a schema over.
GRANT "switchboard_contacts_migrator" TO current_user;
-- The text of an error may quote a value. The service logs its SQLSTATE; only a superuser may silence the server.
DO $role$ BEGIN
  IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    ALTER ROLE "switchboard_contacts_migrator" SET log_min_messages = 'log';
  END IF;
END $role$;
CREATE SCHEMA IF NOT EXISTS "contacts" AUTHORIZATION "switchboard_contacts_migrator";
-- Everybody may call a new function and use a new type otherwise.
ALTER DEFAULT PRIVILEGES FOR ROLE "switchboard_contacts_migrator" REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE "switchboard_contacts_migrator" REVOKE USAGE ON TYPES FROM PUBLIC;

\getenv templates_password TEMPLATES_DATABASE_PASSWORD
\getenv templates_migrator_password TEMPLATES_MIGRATOR_PASSWORD
DO $role$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'switchboard_templates') THEN CREATE ROLE "switchboard_templates"; END IF;
END $role$;
ALTER ROLE "switchboard_templates" LOGIN PASSWORD :'templates_password';
GRANT CONNECT ON DATABASE "switchboard" TO "switchboard_templates";
-- Needed by an administrator who is no superuser, to hand a schema over.
GRANT "switchboard_templates" TO current_user;
-- The text of an error may quote a value. The service logs its SQLSTATE; only a superuser may silence the server.
DO $role$ BEGIN
  IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    ALTER ROLE "switchboard_templates" SET log_min_messages = 'log';
  END IF;
END $role$;
DO $role$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'switchboard_templates_migrator') THEN CREATE ROLE "switchboard_templates_migrator"; END IF;
END $role$;
ALTER ROLE "switchboard_templates_migrator" LOGIN PASSWORD :'templates_migrator_password';
GRANT CONNECT ON DATABASE "switchboard" TO "switchboard_templates_migrator";
-- Needed by an administrator who is no superuser, to hand a schema over.
GRANT "switchboard_templates_migrator" TO current_user;
-- The text of an error may quote a value. The service logs its SQLSTATE; only a superuser may silence the server.
DO $role$ BEGIN
  IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    ALTER ROLE "switchboard_templates_migrator" SET log_min_messages = 'log';
  END IF;
END $role$;
CREATE SCHEMA IF NOT EXISTS "templates" AUTHORIZATION "switchboard_templates_migrator";
-- Everybody may call a new function and use a new type otherwise.
ALTER DEFAULT PRIVILEGES FOR ROLE "switchboard_templates_migrator" REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE "switchboard_templates_migrator" REVOKE USAGE ON TYPES FROM PUBLIC;

\getenv webhooks_password WEBHOOKS_DATABASE_PASSWORD
\getenv webhooks_migrator_password WEBHOOKS_MIGRATOR_PASSWORD
DO $role$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'switchboard_webhooks') THEN CREATE ROLE "switchboard_webhooks"; END IF;
END $role$;
ALTER ROLE "switchboard_webhooks" LOGIN PASSWORD :'webhooks_password';
GRANT CONNECT ON DATABASE "switchboard" TO "switchboard_webhooks";
-- Needed by an administrator who is no superuser, to hand a schema over.
GRANT "switchboard_webhooks" TO current_user;
-- The text of an error may quote a value. The service logs its SQLSTATE; only a superuser may silence the server.
DO $role$ BEGIN
  IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    ALTER ROLE "switchboard_webhooks" SET log_min_messages = 'log';
  END IF;
END $role$;
DO $role$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'switchboard_webhooks_migrator') THEN CREATE ROLE "switchboard_webhooks_migrator"; END IF;
END $role$;
ALTER ROLE "switchboard_webhooks_migrator" LOGIN PASSWORD :'webhooks_migrator_password';
GRANT CONNECT ON DATABASE "switchboard" TO "switchboard_webhooks_migrator";
-- Needed by an administrator who is no superuser, to hand a schema over.
GRANT "switchboard_webhooks_migrator" TO current_user;
-- The text of an error may quote a value. The service logs its SQLSTATE; only a superuser may silence the server.
DO $role$ BEGIN
  IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    ALTER ROLE "switchboard_webhooks_migrator" SET log_min_messages = 'log';
  END IF;
END $role$;
CREATE SCHEMA IF NOT EXISTS "webhooks" AUTHORIZATION "switchboard_webhooks_migrator";
-- Everybody may call a new function and use a new type otherwise.
ALTER DEFAULT PRIVILEGES FOR ROLE "switchboard_webhooks_migrator" REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE "switchboard_webhooks_migrator" REVOKE USAGE ON TYPES FROM PUBLIC;

\getenv analytics_password ANALYTICS_DATABASE_PASSWORD
\getenv analytics_migrator_password ANALYTICS_MIGRATOR_PASSWORD
DO $role$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'switchboard_analytics') THEN CREATE ROLE "switchboard_analytics"; END IF;
END $role$;
ALTER ROLE "switchboard_analytics" LOGIN PASSWORD :'analytics_password';
GRANT CONNECT ON DATABASE "switchboard" TO "switchboard_analytics";
-- Needed by an administrator who is no superuser, to hand a schema over.
GRANT "switchboard_analytics" TO current_user;
-- The text of an error may quote a value. The service logs its SQLSTATE; only a superuser may silence the server.
DO $role$ BEGIN
  IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    ALTER ROLE "switchboard_analytics" SET log_min_messages = 'log';
  END IF;
END $role$;
DO $role$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'switchboard_analytics_migrator') THEN CREATE ROLE "switchboard_analytics_migrator"; END IF;
END $role$;
ALTER ROLE "switchboard_analytics_migrator" LOGIN PASSWORD :'analytics_migrator_password';
GRANT CONNECT ON DATABASE "switchboard" TO "switchboard_analytics_migrator";
-- Needed by an administrator who is no superuser, to hand a schema over.
GRANT "switchboard_analytics_migrator" TO current_user;
-- The text of an error may quote a value. The service logs its SQLSTATE; only a superuser may silence the server.
DO $role$ BEGIN
  IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    ALTER ROLE "switchboard_analytics_migrator" SET log_min_messages = 'log';
  END IF;
END $role$;
CREATE SCHEMA IF NOT EXISTS "analytics" AUTHORIZATION "switchboard_analytics_migrator";
-- Everybody may call a new function and use a new type otherwise.
ALTER DEFAULT PRIVILEGES FOR ROLE "switchboard_analytics_migrator" REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE "switchboard_analytics_migrator" REVOKE USAGE ON TYPES FROM PUBLIC;
