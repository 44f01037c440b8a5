import { expect, it } from '@jest/globals';
import { problemOfName } from './service-name.policy.js';

const problemOf = (name: string): string | undefined => problemOfName(name, () => []);

it.each(['announce', 'incarnation', 'incarnations', 'rpc', 'wake'])(
  'a service is not called %s: subjects or a stream of that name are of the platform',
  (name) => expect(problemOf(name)).toBe(`"${name}" is reserved.`),
);

it('a service is called what nothing else is', () => {
  expect(problemOf('billing')).toBeUndefined();
});
