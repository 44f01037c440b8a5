import { Text } from '@mantine/core';
import { IconFile } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Template } from '../../api/api.generated.js';
import { inPlainWords } from '../../ui/status-badge.js';
import { ForeignText } from '../../ui/foreign-text.js';
import { renderTemplate } from './render-template.js';
import classes from './template-preview.module.css';

/** A template as a phone shows it. @param values in the order of its variables */
export function TemplatePreview({
  template,
  values = [],
}: {
  readonly template: Pick<Template, 'components' | 'variables' | 'name'>;
  readonly values?: readonly string[];
}): ReactElement {
  const parts = renderTemplate(template, values);
  const buttons = parts.filter(({ kind }) => kind === 'BUTTON');
  return (
    <div className={classes['phone']} role="group" aria-label={`Preview of ${template.name}`}>
      <div className={classes['bubble']}>
        {parts.map(({ kind, text, media }, index) =>
          kind === 'BUTTON' ? null : (
            <Text
              key={index}
              component="div"
              size={kind === 'FOOTER' ? 'xs' : 'sm'}
              fw={kind === 'HEADER' ? 650 : undefined}
              c={kind === 'FOOTER' ? 'dimmed' : undefined}
            >
              {media !== undefined && (
                <span className={classes['media']}>
                  <IconFile size={16} aria-hidden /> {inPlainWords(media)}
                </span>
              )}
              <ForeignText>{text}</ForeignText>
            </Text>
          ),
        )}
      </div>
      {buttons.map(({ text }, index) => (
        <div key={index} className={classes['button']}>
          <ForeignText>{text}</ForeignText>
        </div>
      ))}
    </div>
  );
}
