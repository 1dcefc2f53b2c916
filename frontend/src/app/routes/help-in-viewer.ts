/** A report that is one file has no user guide: its pictures and pages would make every report larger. */
export const helpRoutes = [] as const;
