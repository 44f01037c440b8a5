import { Module, type DynamicModule } from '@nestjs/common';
import { EraseSignal } from '@switchboard/platform';
import { SecretBox } from '@switchboard/secrets';
import type { ContactsConfig } from './contacts.config.js';
import { ChannelDirectory } from './channel/channel-directory.js';
import { ChannelRepository } from './channel/channel.repository.js';
import { ChangeContactsBatch } from './contact/change-contacts.batch.js';
import { ChangeContacts } from './contact/change-contacts.js';
import { ContactRepository } from './contact/contact.repository.js';
import { ContactViewRepository } from './contact/contact-view.repository.js';
import { MergedContactRepository } from './contact/merged-contact.repository.js';
import { CreateOptOutHandler } from './create-opt-out/create-opt-out.handler.js';
import { DeleteOptOutHandler } from './delete-opt-out/delete-opt-out.handler.js';
import { UnconfirmedRemovalRepository } from './delete-opt-out/unconfirmed-removal.repository.js';
import { EraseContactHandler } from './erase-contact/erase-contact.handler.js';
import { EraseContact } from './erase-contact/erase-contact.js';
import { EraseContactsWorker } from './erase-contact/erase-contacts.worker.js';
import { ErasedNumberRepository } from './erased-number/erased-number.repository.js';
import { formerAliasPruner } from './erase-contact/prune-former-aliases.worker.js';
import { RepeatErasuresWorker } from './erase-contact/repeat-erasures.worker.js';
import { erasurePruner } from './erase-contact/prune-erasures.worker.js';
import { UnconfirmedErasureRepository } from './erase-contact/unconfirmed-erasure.repository.js';
import { GetContactHandler } from './get-contact/get-contact.handler.js';
import { GetOptOutHandler } from './get-opt-out/get-opt-out.handler.js';
import { HeldOptOutRepository } from './held-opt-out/held-opt-out.repository.js';
import { NumberHashes } from './held-opt-out/number-hash.js';
import { AccountWalkRepository } from './resolve-contacts/account-walk.repository.js';
import { JoinAccountsWorker } from './resolve-contacts/join-accounts.worker.js';
import { ContactListRepository } from './list-contacts/contact-list.repository.js';
import { ListContactsHandler } from './list-contacts/list-contacts.handler.js';
import { ListContacts } from './list-contacts/list-contacts.js';
import { ListOptOutsHandler } from './list-opt-outs/list-opt-outs.handler.js';
import { OptOutRepository } from './opt-out/opt-out.repository.js';
import { SendFence } from './opt-out/send-fence.client.js';
import { ProjectChannelsConsumer } from './project-channels/project-channels.consumer.js';
import { removalPruner } from './delete-opt-out/prune-removals.worker.js';
import { heldStatementPruner } from './prune-held-statements/prune-held-statements.worker.js';
import { RecordObservedConsumer } from './record-observed/record-observed.consumer.js';
import { ResolveContactsHandler } from './resolve-contacts/resolve-contacts.handler.js';
import { UpsertContactHandler } from './upsert-contact/upsert-contact.handler.js';

/** The contacts service. */
@Module({
  controllers: [
    ResolveContactsHandler,
    UpsertContactHandler,
    GetContactHandler,
    ListContactsHandler,
    CreateOptOutHandler,
    GetOptOutHandler,
    ListOptOutsHandler,
    DeleteOptOutHandler,
    EraseContactHandler,
  ],
  providers: [
    AccountWalkRepository,
    ChangeContacts,
    ChangeContactsBatch,
    ChannelDirectory,
    ChannelRepository,
    ContactListRepository,
    ContactRepository,
    ContactViewRepository,
    EraseContact,
    EraseContactsWorker,
    RepeatErasuresWorker,
    ErasedNumberRepository,
    erasurePruner,
    EraseSignal,
    HeldOptOutRepository,
    heldStatementPruner,
    JoinAccountsWorker,
    ListContacts,
    MergedContactRepository,
    NumberHashes,
    OptOutRepository,
    ProjectChannelsConsumer,
    RecordObservedConsumer,
    removalPruner,
    SendFence,
    UnconfirmedErasureRepository,
    UnconfirmedRemovalRepository,
  ],
})
export class ContactsModule {
  /** @param config the key of the hashes that are left of erased contacts, and for how long bulk sends are kept */
  static of(config: ContactsConfig): DynamicModule {
    const { CREDENTIALS_KEY: current, CREDENTIALS_KEY_PREVIOUS: previous, TEMPLATES_JOB_RETENTION_DAYS: days } = config;
    const box = { provide: SecretBox, useValue: new SecretBox({ current, previous }) };
    return { module: ContactsModule, providers: [box, formerAliasPruner(days)] };
  }
}
