import { Button } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ComparisonsTable } from '../../features/verdicts/comparisons';
import { tray, uploadButtonText, useTray } from '../../features/evidence/artifacts';
import { PageHeader, useTitle } from '../../ui';
import { Link } from '../Link';

const route = getRouteApi('/t/$team/comparisons');
const teamRoute = getRouteApi('/t/$team');

export function ComparisonsRoute() {
  useTitle('Comparisons');
  const { team } = teamRoute.useRouteContext();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { items, open } = useTray();
  const mayWrite = team.role !== 'viewer';
  const here = { to: '/t/$team/comparisons', params: { team: team.slug } } as const;
  const upload = mayWrite && (
    <Button variant="filled" aria-expanded={open} onClick={() => tray.setOpen(!open)}>
      {uploadButtonText(items)}
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Comparisons"
        sub="Compare two sets of profiles, traces or benchmarks. Drop files anywhere to start."
        actions={upload}
      />
      <ComparisonsTable
        search={search}
        onSearch={(next) => void navigate({ ...here, search: next, replace: true })}
        onOpen={({ id }) =>
          void navigate({
            to: '/t/$team/comparisons/$comparisonId',
            params: { team: team.slug, comparisonId: id },
            search: {},
          })
        }
        link={({ id }, words) => (
          <Link
            to="/t/$team/comparisons/$comparisonId"
            params={{ team: team.slug, comparisonId: id }}
            search={{}}
            onClick={(event) => event.stopPropagation()}
          >
            {words}
          </Link>
        )}
        upload={
          mayWrite && !open && <Button onClick={() => tray.setOpen(true)}>Choose files</Button>
        }
        mayWrite={mayWrite}
      />
    </>
  );
}
