import type { SeededOrganization } from '@switchboard/dev';
import type { UsableStack } from './start-everything.js';

/** A person who can sign in. */
export interface Person {
  readonly email: string;
  readonly password: string;
}

/** Who has a role in a demonstration organization. @throws Error where there is none */
export function personIn({ name, users = [] }: SeededOrganization, role: string): Person {
  const person = users.find((one) => one.role === role);
  if (!person) throw new Error(`dev.json has no ${role} of ${name}`);
  return person;
}

/** The same by the organization's place in dev.json, the first one by default. */
export function personOf({ devJson }: UsableStack['stack'], role: string, organization = 0): Person {
  const found = devJson.organizations?.[organization];
  if (!found) throw new Error(`dev.json has no organization ${organization}`);
  return personIn(found, role);
}

/** The owner of a demonstration organization, as `personOf`. */
export function ownerOf(stack: UsableStack['stack'], organization = 0): Person {
  return personOf(stack, 'OWNER', organization);
}
