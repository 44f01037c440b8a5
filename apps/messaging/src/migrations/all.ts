import { Initial1765000000000 } from './1765000000000-initial.js';
import { DispatchConversation1765000001000 } from './1765000001000-dispatch-conversation.js';

/** Every migration of the schema `messaging`, in the order of their timestamps. */
export const messagingMigrations = [Initial1765000000000, DispatchConversation1765000001000] as const;
