import { useRouter } from '@tanstack/react-router';
import type { TeamMembership } from '../api';
import { SearchPalette } from '../features/sharing/search';
import { usePaletteActions } from './palette-actions';

type PaletteProps = { team: TeamMembership; onClose: () => void; onShowShortcuts: () => void };

/** The command palette with the actions of this app; its code is loaded when it is first opened. */
export function Palette({ team, onClose, onShowShortcuts }: PaletteProps) {
  const router = useRouter();
  const actions = usePaletteActions(team, onShowShortcuts);
  return (
    <SearchPalette
      team={team.slug}
      actions={actions}
      onClose={onClose}
      onOpen={(path) => router.history.push(`/t/${team.slug}${path}`)}
    />
  );
}
