/** A `messages` item as the provider writes it, and what the API shows of it. */
export interface RecordedInbound {
  readonly message: Readonly<Record<string, unknown>> & { readonly type: string };
  readonly shown: { readonly type: string; readonly unsupportedType: string | null; readonly text: string | null };
}

const MEDIA = { id: '1003383421387256', sha256: 'SfInY0gGKTsJlUWbwxC1k+FAD0FZHvzwfpvO0zX0GUI=' };
const text = (value: string) => ({ type: 'TEXT', unsupportedType: null, text: value });
const unsupported = (type: string, caption: string | null = null) => ({
  type: 'UNSUPPORTED',
  unsupportedType: type,
  text: caption,
});

/** One of each type. Source: provider's "messages" webhook, its examples. */
export const recordedInbound: readonly RecordedInbound[] = [
  {
    message: { type: 'text', text: { body: 'Does it come in another color?' } },
    shown: text('Does it come in another color?'),
  },
  {
    message: { type: 'button', button: { payload: 'Unsubscribe from Promos', text: 'Unsubscribe from Promos' } },
    shown: text('Unsubscribe from Promos'),
  },
  {
    message: {
      type: 'interactive',
      context: { from: '15550783881', id: 'wamid.HBgLMTY0NjcwNDM1OTUVAgARGBI1RjQyNUE3NEYxMzAzMzQ5MkEA' },
      interactive: { type: 'button_reply', button_reply: { id: 'change-button', title: 'Change' } },
    },
    shown: text('Change'),
  },
  {
    message: {
      type: 'interactive',
      interactive: {
        type: 'list_reply',
        list_reply: { id: 'priority_express', title: 'Priority Mail Express', description: 'Next Day to 2 Days' },
      },
    },
    shown: text('Priority Mail Express'),
  },
  {
    message: { type: 'image', image: { ...MEDIA, mime_type: 'image/jpeg', caption: 'Taj Mahal' } },
    shown: unsupported('image', 'Taj Mahal'),
  },
  { message: { type: 'video', video: { ...MEDIA, mime_type: 'video/mp4' } }, shown: unsupported('video') },
  {
    message: { type: 'audio', audio: { ...MEDIA, mime_type: 'audio/ogg; codecs=opus', voice: true } },
    shown: unsupported('audio'),
  },
  {
    message: {
      type: 'document',
      document: { ...MEDIA, mime_type: 'application/pdf', filename: 'a.pdf', caption: 'Bill' },
    },
    shown: unsupported('document', 'Bill'),
  },
  {
    message: { type: 'sticker', sticker: { ...MEDIA, mime_type: 'image/webp', animated: false } },
    shown: unsupported('sticker'),
  },
  {
    message: { type: 'location', location: { latitude: 37.4847, longitude: -122.1473, name: 'Main square' } },
    shown: unsupported('location'),
  },
  {
    message: { type: 'contacts', contacts: [{ name: { formatted_name: 'Barbara J. Johnson' }, phones: [] }] },
    shown: unsupported('contacts'),
  },
  {
    message: { type: 'reaction', reaction: { message_id: 'wamid.HBgLMTY1MDU1NTEyMzQ', emoji: '👍' } },
    shown: unsupported('reaction'),
  },
  {
    message: {
      type: 'unsupported',
      unsupported: { type: 'edit' },
      errors: [
        { code: 131051, title: 'Message type unknown', error_data: { details: 'Message type is not supported.' } },
      ],
    },
    shown: unsupported('unsupported'),
  },
  {
    message: { type: 'order', order: { catalog_id: '194836987003835', product_items: [] } },
    shown: unsupported('order'),
  },
  { message: { type: 'text', text: { body: 'no\u0000thing \ud800lost' } }, shown: text('no\ufffdthing \ufffdlost') },
  { message: { type: 'text', text: { body: '长'.repeat(20_000) } }, shown: text('长'.repeat(20_000)) },
];
