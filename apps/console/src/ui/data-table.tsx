import { Table } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import classes from './data-table.module.css';

/** A column of a table. */
export interface Column<Item> {
  /** Its heading; of a column of buttons a word for screen readers. */
  readonly title: string;
  readonly isTitleHidden?: boolean;
  readonly cell: (item: Item) => ReactNode;
  readonly align?: 'left' | 'right';
  /** CSS, where the content does not decide. */
  readonly width?: string;
}

/** A table in a frame, which scrolls sideways by itself on narrow screens. */
export function DataTable<Item>({
  label,
  columns,
  items,
  keyOf,
  minWidth = 640,
}: {
  /** What it lists, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** In pixels; narrower places scroll. */
  readonly minWidth?: number;
}): ReactElement {
  return (
    <div className={classes['frame']}>
      <Table.ScrollContainer
        type="native"
        className={classes['scroll']}
        minWidth={minWidth}
        tabIndex={0}
        role="region"
        aria-label={label}
      >
        <Table aria-label={label} highlightOnHover>
          <Table.Thead className={classes['head']}>
            <Table.Tr>
              {columns.map(({ title, isTitleHidden, align = 'left', width }) => (
                <Table.Th key={title} ta={align} w={width}>
                  <span className={isTitleHidden ? classes['hidden'] : undefined}>{title}</span>
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.map((item) => (
              <Table.Tr key={keyOf(item)}>
                {columns.map(({ title, cell, align = 'left' }) => (
                  <Table.Td key={title} ta={align}>
                    {cell(item)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </div>
  );
}
