import { templateId, type Template, type TemplateDraft } from './template.entity.js';

/** The templates of every account, in memory. An account that was given none has the drafts that the simulator started with. */
export class TemplateRepository {
  readonly #byWabaId = new Map<string, readonly Template[]>();

  constructor(private drafts: readonly TemplateDraft[]) {}

  /** The account's templates in their order. */
  list(wabaId: string): readonly Template[] {
    let templates = this.#byWabaId.get(wabaId);
    if (!templates) {
      templates = this.#adopt(wabaId, this.drafts);
      this.#byWabaId.set(wabaId, templates);
    }
    return templates;
  }

  /** Replaces the templates of one account, or of all when `wabaId` is undefined. */
  replace(wabaId: string | undefined, drafts: readonly TemplateDraft[]): void {
    if (wabaId !== undefined) {
      this.#byWabaId.set(wabaId, this.#adopt(wabaId, drafts));
      return;
    }
    this.drafts = drafts;
    this.#byWabaId.clear();
  }

  /** The template with this name in this language, or undefined. */
  find(wabaId: string, name: string, language: string): Template | undefined {
    return this.list(wabaId).find((template) => template.name === name && template.language === language);
  }

  /** Gives a template another status; does nothing when there is no such template. */
  setStatus(wabaId: string, id: string, status: string): void {
    const templates = this.list(wabaId).map((item) => (item.id === id ? { ...item, status } : item));
    this.#byWabaId.set(wabaId, templates);
  }

  #adopt(wabaId: string, drafts: readonly TemplateDraft[]): readonly Template[] {
    return drafts.map((draft) => ({ id: templateId(wabaId, draft.name, draft.language), ...draft }));
  }
}
