/** A page with nothing but the flame graph, for measuring and for looking. Its query says what it shows. */
import '@fontsource-variable/inter/index.css';
import '@fontsource-variable/jetbrains-mono/index.css';
import type { ReactElement } from 'react';
import { useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { FlameGraphHandle, FlameSource } from '../../src/charts';
import { EffectAxis, EffectInterval, FlameGraph } from '../../src/charts';
import type { FlameView } from '../../src/engine/flame/flame-view';
import { EMPTY_VIEW } from '../../src/engine/flame/flame-view';
import { ratioAxis } from '../../src/engine/format/ratio-axis';
import { randomTree, writeParts, writeWhole } from '../../src/testing/diff-fixtures';
import '../../src/ui/tokens.css';
import { exampleColumns } from './generated-diff';

type Bench = {
  firstFrameMs: number | null;
  graph: FlameGraphHandle | null;
  view: FlameView;
  setView: (view: FlameView) => void;
  start: () => void;
  /** Starts with bytes of a whole diff instead of thrown data. */
  startWith: (bytes: readonly number[]) => void;
};

declare global {
  interface Window {
    bench: Bench;
  }
}

const query = new URLSearchParams(location.search);
const theme = query.get('theme') ?? 'light';
document.documentElement.dataset.theme = theme;
document.documentElement.dataset.mantineColorScheme = theme;
document.body.style.cssText = 'margin:0;padding:12px 24px;background:var(--bg);color:var(--text)';

function sourceOf(): FlameSource {
  const nodes = Number(query.get('nodes') ?? '0');
  if (nodes === 0) {
    return { key: 'example', first: writeWhole(exampleColumns()), rest: null, restState: 'none' };
  }
  const columns = randomTree(nodes, Number(query.get('seed') ?? '7'));
  if (query.get('parts') === 'whole')
    return { key: 'thrown', first: writeWhole(columns), rest: null, restState: 'none' };
  const { first, rest } = writeParts(columns, 8192);
  const only = query.get('parts') === 'first';
  return { key: 'thrown', first, rest: only ? null : rest, restState: only ? 'loading' : 'loaded' };
}

const ROWS = [
  { ratio: 11.7, low: 10.1, high: 13.6, change: 'more' },
  { ratio: 0.88, low: 0.81, high: 0.95, change: 'less' },
  { ratio: 1.14, low: 0.93, high: 1.38, change: 'noise' },
  { ratio: null, low: null, high: null, change: 'only-candidate' },
  { ratio: null, low: null, high: null, change: 'only-base' },
] as const;

function Page(): ReactElement {
  const [source, setSource] = useState<FlameSource | null>(null);
  const [view, setView] = useState<FlameView>({
    ...EMPTY_VIEW,
    ...(JSON.parse(query.get('view') ?? '{}') as Partial<FlameView>),
  });
  const prepared = useMemo(sourceOf, []);
  const axis = ratioAxis(ROWS);
  window.bench.view = view;
  window.bench.setView = setView;
  window.bench.start = () => {
    setSource(prepared);
  };
  window.bench.startWith = (bytes) => {
    setSource({
      key: 'given',
      first: Uint8Array.from(bytes).buffer,
      rest: null,
      restState: 'none',
    });
  };
  return (
    <>
      {source !== null && (
        <FlameGraph
          ref={(graph) => {
            window.bench.graph = graph;
          }}
          chips
          source={source}
          view={view}
          onViewChange={setView}
          onFirstFrame={(milliseconds) => {
            window.bench.firstFrameMs = milliseconds;
          }}
          maxHeight={Number(query.get('height') ?? '504')}
          onListLines={() => undefined}
        />
      )}
      {query.get('intervals') !== null && (
        <div style={{ marginTop: 24 }}>
          <EffectAxis axis={axis} />
          {ROWS.map((row) => (
            <EffectInterval key={row.change} axis={axis} {...row} />
          ))}
        </div>
      )}
    </>
  );
}

window.bench = {
  firstFrameMs: null,
  graph: null,
  view: EMPTY_VIEW,
  setView: () => undefined,
  start: () => undefined,
  startWith: () => undefined,
};
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<Page />);
