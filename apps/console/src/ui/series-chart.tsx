import '@mantine/charts/styles.css';
import { AreaChart, BarChart } from '@mantine/charts';
import { Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { DataTable } from './data-table.js';

type Point = Readonly<Record<string, string | number>>;

/** Recharts makes its picture a stop of the Tab key without a name; the table says more. */
const picture = { accessibilityLayer: false };

/** Figures over time, as a picture and, as that has no words for screen readers, as a table. */
export function SeriesChart({
  label,
  data,
  series,
  kind,
  height = 260,
}: {
  /** What it shows, for screen readers. */
  readonly label: string;
  readonly data: readonly Point[];
  readonly series: readonly { readonly name: string; readonly label?: string; readonly color: string }[];
  readonly kind: 'area' | 'bar';
  readonly height?: number;
}): ReactElement {
  const [isTableOpen, setTableOpen] = useState(false);
  const settings = {
    h: height,
    data: data.map((point) => ({ ...point })),
    dataKey: 'start',
    series: [...series],
    withLegend: series.length > 1,
    tickLine: 'none' as const,
    gridAxis: 'x' as const,
    valueFormatter: figure,
  };
  return (
    <figure aria-label={label} style={{ margin: 0 }}>
      {kind === 'area' ? (
        <AreaChart {...settings} curveType="monotone" withDots={false} areaChartProps={picture} />
      ) : (
        <BarChart {...settings} barChartProps={picture} />
      )}
      <details onToggle={({ currentTarget }) => setTableOpen(currentTarget.open)}>
        <Text component="summary" size="sm" c="dimmed" mt="sm" mb="xs">
          The figures as a table
        </Text>
        {isTableOpen && (
          <DataTable
            label={label}
            // Clocks that are set back show an hour twice.
            items={data.map((point, index) => ({ point, index }))}
            keyOf={({ index }) => String(index)}
            minWidth={320}
            columns={[
              { title: 'Start', cell: ({ point }) => point['start'] },
              ...series.map(({ name, label: title = name }) => ({
                title,
                align: 'right' as const,
                cell: ({ point }: { readonly point: Point }) => figure(Number(point[name])),
              })),
            ]}
          />
        )}
      </details>
    </figure>
  );
}

function figure(value: number): string {
  return value.toLocaleString('en');
}
