/** The address of the team's dashboard in Grafana, from its template. */

/** A range in milliseconds since 1970, or as Grafana names one that goes on (`now-4h` to `now`). */
type DashboardPlace = {
  service: string;
  environment: string;
  from: number | string;
  to: number | string;
};

/** The server accepts the same; what it stored before is checked again, because the address becomes a link. */
const ALLOWED = /^https?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?(\/|$)/u;

/** null: the template cannot be a link. */
export function dashboardAddress(template: string, place: DashboardPlace): string | null {
  if (!ALLOWED.test(template)) return null;
  return template.replace(/\{(service|environment|from|to)\}/gu, (_all, name: string) =>
    encodeURIComponent(place[name as keyof DashboardPlace]),
  );
}
