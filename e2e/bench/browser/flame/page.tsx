/**
 * A page with only the flame graph of a random diff; query parameters set the number of nodes, the
 * parts and the view.
 */
import '@fontsource-variable/inter/index.css';
import type { ReactElement } from 'react';
import { useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { FlameSource } from '../../../../frontend/src/charts';
import { FlameGraph } from '../../../../frontend/src/charts';
import type { FlameView } from '../../../../frontend/src/engine/flame/flame-view';
import { EMPTY_VIEW } from '../../../../frontend/src/engine/flame/flame-view';
import { randomTree, writeParts, writeWhole } from '../../../../frontend/src/testing/diff-fixtures';
import '../../../../frontend/src/ui/tokens.css';

declare global {
  interface Window {
    bench: { firstFrameMs: number | null; start: () => void };
  }
}

const SEED = 7;
const FIRST_NODES = 8192;
const query = new URLSearchParams(location.search);
document.documentElement.dataset.theme = 'light';
document.documentElement.dataset.mantineColorScheme = 'light';
document.body.style.cssText = 'margin:0;padding:12px 24px;background:var(--bg);color:var(--text)';

function createSource(): FlameSource {
  const columns = randomTree(Number(query.get('nodes')), SEED);
  if (query.get('parts') === 'whole')
    return { key: 'random', first: writeWhole(columns), rest: null, restState: 'none' };
  return { key: 'random', ...writeParts(columns, FIRST_NODES), restState: 'loaded' };
}

function Page(): ReactElement {
  const [source, setSource] = useState<FlameSource | null>(null);
  const [view, setView] = useState<FlameView>({
    ...EMPTY_VIEW,
    ...(JSON.parse(query.get('view') ?? '{}') as Partial<FlameView>),
  });
  const prepared = useMemo(createSource, []);
  window.bench.start = () => {
    setSource(prepared);
  };
  if (source === null) return <></>;
  return (
    <FlameGraph
      chips
      source={source}
      view={view}
      onViewChange={setView}
      onFirstFrame={(milliseconds) => {
        window.bench.firstFrameMs = milliseconds;
      }}
      maxHeight={504}
      onListLines={() => undefined}
    />
  );
}

window.bench = { firstFrameMs: null, start: () => undefined };
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<Page />);
