import type { Int } from '../grammar/int.js';

/** A value for a place of a template. */
export interface TemplateText {
  /** Of the place, in a template whose places have names; null where they are counted. */
  readonly name: string | null;
  readonly text: string;
}

/** What the places of a template are filled with, in no provider's form; each list is in the order of the template. */
export interface TemplateParameters {
  readonly header:
    | ({ readonly type: 'text' } & TemplateText)
    | { readonly type: 'image' | 'video' | 'document'; readonly link: string }
    | null;
  readonly body: readonly TemplateText[];
  readonly buttons: readonly {
    /** From 0, among all buttons of the template. */
    readonly index: Int;
    /** `url`: the end of its address; `quick_reply`: what comes back when it is pressed; `copy_code`: the code. */
    readonly type: 'url' | 'quick_reply' | 'copy_code';
    readonly text: string;
  }[];
}
