import type { InviteView, MemberView } from '@switchboard/contracts/gateway/http';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { Invite, Member, PageOf } from '../identity/people.contract.js';

/** A member as the application shows them. */
export function memberView({ createdAt, ...member }: Member): MemberView {
  return { ...member, createdAt: createdAt.toISOString() };
}

/** An open invitation as the application shows it: never with its secret. */
export function inviteView({ id, email, role, createdAt, expiresAt }: Invite): InviteView {
  return { id, email, role, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
}

/** A page of the one as a page of the other. */
export function pageView<Item, View>({ items, ...rest }: PageOf<Item>, view: (item: Item) => View): Page<View> {
  return { items: items.map(view), ...rest };
}
