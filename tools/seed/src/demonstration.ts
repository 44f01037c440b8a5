import { randomBytes } from 'node:crypto';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { newApiKey, type OrganizationSeed, type UserSeed } from '@switchboard/gateway/seed';

/** A channel of a demonstration organization, as the provider knows it. */
export interface DemonstrationChannel {
  readonly id: string;
  readonly name: string;
  readonly phone: string;
  readonly phoneNumberId: string;
  readonly isDefault: boolean;
}

/** A demonstration organization; kept in a file, so that restarts keep ids and keys. */
export interface Demonstration extends OrganizationSeed {
  readonly businessAccountId: string;
  readonly accessToken: string;
  readonly channels: readonly DemonstrationChannel[];
}

/** The three organizations that `npm start` shows, with new ids and keys, and more of one channel and no people. */
export function newDemonstrations(more = 0): Demonstration[] {
  return [
    demonstrationOf('Acme', 'SCALE', '102290129340401', ['+12015550181', '+12015550182']),
    demonstrationOf('Globex', 'STARTER', '102290129340402', ['+12015550183']),
    demonstrationOf('Initech', 'SCALE', '102290129340403', ['+12015550184']),
    ...Array.from({ length: more }, (_, index) => furtherDemonstration(index)),
  ];
}

/** Without people: a hash for each would take longer than all else of a start. */
function furtherDemonstration(index: number): Demonstration {
  const digits = String(index).padStart(4, '0');
  const made = demonstrationOf(`Further ${index + 1}`, 'SCALE', `10229012935${digits}`, [`+1202555${digits}`]);
  return { ...made, users: [] };
}

/** Its owner, an administrator and a member, each with a new password. @param name the organization's */
export function newUsersOf(name: string): UserSeed[] {
  return (['OWNER', 'ADMIN', 'MEMBER'] as const).map((role) => ({
    id: newCuid(),
    membershipId: newCuid(),
    // A reserved domain. Source: RFC 2606.
    email: `${role.toLowerCase()}@${name.toLowerCase()}.example`,
    name: `${name} ${role.toLowerCase()}`,
    role,
    password: randomBytes(15).toString('base64url'),
  }));
}

function demonstrationOf(
  name: string,
  plan: OrganizationSeed['plan'],
  businessAccountId: string,
  phones: readonly string[],
): Demonstration {
  return {
    id: newCuid(),
    name,
    plan,
    keyId: newCuid(),
    apiKey: newApiKey(),
    users: newUsersOf(name),
    businessAccountId,
    accessToken: `simulator-${newCuid()}`,
    channels: phones.map((phone, index) => ({
      id: newCuid(),
      name: index === 0 ? `${name} support` : `${name} sales`,
      phone,
      // The provider's ids of lines are numbers of fifteen digits.
      phoneNumberId: `1065403${phone.slice(-8)}`,
      isDefault: index === 0,
    })),
  };
}
