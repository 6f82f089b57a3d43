/** Rows about the package as a whole: loading, size, memory that it needs beside the figures, time that it spends on sweeps. */
import type { BundleRow, FirstResultRow, PartRow, PeakRow } from './row.ts';

export const packageRows: (FirstResultRow | BundleRow | PeakRow | PartRow)[] = [
  {
    kind: 'peak',
    name: 'attention memory, sequence 2048 over 1024',
    case: 'attention',
    args: [
      { heads: 8, length: 1024, width: 64 },
      { heads: 8, length: 2048, width: 64 },
    ],
    // Twice is linear; four times is what a stored matrix of scores takes.
    targets: [{ bound: 2.1 }],
  },
  { kind: 'first result', name: 'import to first result', targets: [{ bound: 150 }] },
  { kind: 'bundle', name: 'core bundle for browsers, gzip', targets: [{ bound: 200 }] },
  ...['', 'objects'].flatMap((option): PartRow[] => {
    const beside = option === '' ? '' : ' beside a million plain objects';
    const args = option === '' ? [] : [option];
    return [
      {
        kind: 'part',
        name: `backing store high-water over what is allowed, GPT training${beside}`,
        script: 'backing-store.ts',
        args,
        figure: 'highWater',
        unit: '×',
        targets: [{ bound: 1 }],
      },
      {
        kind: 'part',
        name: `time in sweeps, GPT training${beside}`,
        script: 'backing-store.ts',
        args,
        figure: 'sweeps',
        unit: '%',
        targets: [{ bound: 5 }],
      },
      {
        kind: 'part',
        name: `time in sweeps, MLP 1024 wide in a loop${beside}`,
        script: 'backing-store.ts',
        args: [...args, 'mlp'],
        figure: 'sweeps',
        unit: '%',
        targets: [{ bound: 5 }],
      },
    ];
  }),
];
